import com.sun.net.httpserver.Headers;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The check that a request comes from the arena: signatures by Standard Webhooks (https://www.standardwebhooks.com). Each
 * request is let in once. Without keys every request is let in.
 */
final class Gate {
  private static final long TOLERANCE = 300_000; // milliseconds by which the clocks of the arena and of the bot may differ
  private static final int MOST_SEEN = 1_000_000; // request ids that are kept to refuse replays
  private static final byte[] ED25519 = HexFormat.of().parseHex("302a300506032b6570032100"); // DER before a public key
  private static final Map<String, String> SHAPES =
      Map.of(
          "webhook-id", "[A-Za-z0-9_-]{1,128}",
          "webhook-timestamp", "[0-9]{1,12}",
          "webhook-signature", "[!-~]+( [!-~]+){0,15}");

  private final List<byte[]> secrets = new ArrayList<>();
  private final PublicKey publicKey;
  private final String botId;
  private final Map<String, Long> seen = new LinkedHashMap<>(); // the oldest first

  /**
   * Reads the secrets (whsec_..., several with commas) or the public key of the arena (whpk_...). That key is the same for
   * all bots, so it needs the id of the bot. A setting that is not there is "".
   */
  Gate(String secrets, String publicKey, String botId) throws GeneralSecurityException {
    for (String secret : secrets.split(","))
      if (!secret.isBlank()) this.secrets.add(readKey(secret.trim(), "whsec_", 24, 64));
    if (!publicKey.isEmpty() && botId.isEmpty())
      throw new IllegalArgumentException("a public key needs the id of the bot too: set SPLITO_BOT_ID");
    this.publicKey = publicKey.isEmpty() ? null : readPublicKey(publicKey);
    this.botId = botId;
  }

  boolean isOpen() {
    return secrets.isEmpty() && publicKey == null;
  }

  boolean checksEd25519() {
    return publicKey != null;
  }

  /** Throws a Refusal of a request that the arena has not signed for this bot just now, or that has come before. */
  void admit(Headers headers, byte[] body, long now) throws GeneralSecurityException {
    if (isOpen()) return;
    for (Map.Entry<String, String> shape : SHAPES.entrySet())
      if (!header(headers, shape.getKey()).matches(shape.getValue()))
        throw unauthorised("missing-header", "the header " + shape.getKey() + " is missing or malformed: sign the request");
    String id = header(headers, "webhook-id");
    if (Math.abs(now - 1000 * Long.parseLong(header(headers, "webhook-timestamp"))) > TOLERANCE)
      throw unauthorised("stale-message", "the message is too old, or from the future: compare the clocks");
    if (!isSigned(headers, body, secrets))
      throw unauthorised("wrong-signature", "no signature was made with the key of this bot");
    if (!botId.isEmpty() && !id.startsWith(botId + "_"))
      throw unauthorised("wrong-recipient", "this request was signed for another bot: compare the id of this bot");
    remember(id, now);
  }

  /** Returns the answer to a challenge, made with the secret that signed the request or else with the first. */
  String proof(Headers headers, byte[] body, String challenge) throws GeneralSecurityException {
    if (secrets.isEmpty()) throw new Refusal(409, "no-secret", "this bot has no secret: set SPLITO_BOT_SECRET");
    byte[] signer = secrets.get(0);
    for (byte[] secret : secrets) if (isSignedBy(secret, headers, body)) signer = secret;
    return base64(hmac(signer, ("splito-challenge." + challenge).getBytes(StandardCharsets.UTF_8)));
  }

  private boolean isSigned(Headers headers, byte[] body, List<byte[]> secrets) throws GeneralSecurityException {
    if (publicKey != null) return isSignedByTheArena(headers, body);
    for (byte[] secret : secrets) if (isSignedBy(secret, headers, body)) return true;
    return false;
  }

  private boolean isSignedBy(byte[] secret, Headers headers, byte[] body) throws GeneralSecurityException {
    byte[] expected = ("v1," + base64(hmac(secret, content(headers, body)))).getBytes(StandardCharsets.UTF_8);
    for (String given : header(headers, "webhook-signature").split(" "))
      if (MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) return true;
    return false;
  }

  private boolean isSignedByTheArena(Headers headers, byte[] body) throws GeneralSecurityException {
    for (String given : header(headers, "webhook-signature").split(" ")) {
      if (!given.startsWith("v1a,")) continue;
      try {
        Signature signature = Signature.getInstance("Ed25519");
        signature.initVerify(publicKey);
        signature.update(content(headers, body));
        if (signature.verify(Base64.getDecoder().decode(given.substring(4)))) return true;
      } catch (java.security.SignatureException | IllegalArgumentException malformed) {
        continue; // the next one may be right
      }
    }
    return false;
  }

  /** Keeps the id for as long as its signature may be valid: twice the tolerance, as the sender's clock may be ahead. */
  private synchronized void remember(String id, long now) {
    Iterator<Long> times = seen.values().iterator();
    while (times.hasNext() && now - times.next() > 2 * TOLERANCE) times.remove();
    if (seen.containsKey(id)) throw unauthorised("replayed", id + " has come before");
    if (seen.size() >= MOST_SEEN) throw unauthorised("replayed", "too many requests to remember them all");
    seen.put(id, now);
  }

  private static byte[] content(Headers headers, byte[] body) {
    String before = header(headers, "webhook-id") + "." + header(headers, "webhook-timestamp") + ".";
    byte[] head = before.getBytes(StandardCharsets.UTF_8);
    byte[] content = java.util.Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, content, head.length, body.length);
    return content;
  }

  private static byte[] readKey(String text, String prefix, int shortest, int longest) {
    try {
      byte[] key = Base64.getDecoder().decode(text.substring(Math.min(prefix.length(), text.length())));
      if (text.equals(prefix + base64(key)) && shortest <= key.length && key.length <= longest) return key;
    } catch (IllegalArgumentException malformed) {
      // refused below, without quoting it
    }
    throw new IllegalArgumentException("write a key as " + prefix + " and " + shortest + " to " + longest + " bytes in base64");
  }

  private static PublicKey readPublicKey(String text) throws GeneralSecurityException {
    byte[] key = readKey(text, "whpk_", 32, 32);
    byte[] der = new BigInteger(1, ED25519).shiftLeft(256).or(new BigInteger(1, key)).toByteArray();
    return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(der));
  }

  private static byte[] hmac(byte[] secret, byte[] content) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    return mac.doFinal(content);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String header(Headers headers, String name) {
    String value = headers.getFirst(name);
    return value == null ? "" : value;
  }

  private static Refusal unauthorised(String code, String detail) {
    return new Refusal(401, code, detail);
  }

  /** The refusal of a request, with the status and the problem of its answer. */
  static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int status;
    private final String code;

    Refusal(int status, String code, String detail) {
      super(detail);
      this.status = status;
      this.code = code;
    }

    Map<String, Object> problem() {
      return Map.of("type", "about:blank", "title", code, "status", status, "code", code, "detail", getMessage());
    }
  }
}
