import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tests of the bot: run `java -cp out BotTest`. They need no arena: `asks.json` has asks of one. */
final class BotTest {
  private static final byte[] KEY = "a key of a test, 32 bytes long..".getBytes();
  private static final String SECRET = "whsec_" + Base64.getEncoder().encodeToString(KEY);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  public static void main(String[] arguments) throws Exception {
    List<Json> asks = Json.parse(Files.readString(Path.of("asks.json"))).get("asks").list();
    for (Json ask : asks) {
      int index = MyBot.choose(ask);
      check(0 <= index && index < ask.get("moves").list().size(), ask.get("id").text() + " gets one of its moves");
      check(index == MyBot.choose(ask), ask.get("id").text() + " gets the same move again");
    }
    String text = "{\"a\":[1,-2.5,\"\\u00e9\\n\",true,null],\"b\":{}}";
    check(Json.write(Json.parse(text)).equals(text.replace("\\u00e9\\n", "é\\u000a")), "JSON is read and written");
    var server = new Server(MyBot.INFO, MyBot::choose, new Gate(SECRET, "", "")).listen("127.0.0.1", 0);
    try {
      overHttp("http://127.0.0.1:" + server.getAddress().getPort(), asks);
    } finally {
      server.stop(0);
    }
    System.out.println(asks.size() + " asks, all answered with a legal move");
    System.exit(0); // the threads of the server would wait
  }

  private static void overHttp(String url, List<Json> asks) throws Exception {
    long now = System.currentTimeMillis() / 1000;
    String ask = Json.write(asks.get(0));
    check(post(url + "/ask", ask, "one", now, SECRET).statusCode() == 200, "a signed ask is answered");
    check(post(url + "/ask", ask, "one", now, SECRET).body().contains("replayed"), "and refused when it comes again");
    check(post(url + "/ask", ask, "old", now - 301, SECRET).body().contains("stale-message"), "an old ask is refused");
    String other = "whsec_" + Base64.getEncoder().encodeToString("another key of a test, 32 bytes.".getBytes());
    check(post(url + "/ask", ask, "two", now, other).body().contains("wrong-signature"), "a forged ask is refused");
    String several = Json.write(Map.of("asks", asks));
    Json answers = Json.parse(post(url + "/batch", several, "three", now, SECRET).body()).get("answers");
    check(answers.list().size() == asks.size(), "several asks are answered in one request");
  }

  /** Sends a request as the arena signs it. */
  private static HttpResponse<String> post(String url, String body, String id, long time, String secret) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring(6)), "HmacSHA256"));
    String signature = Base64.getEncoder().encodeToString(mac.doFinal((id + "." + time + "." + body).getBytes("UTF-8")));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", "" + time)
            .header("webhook-signature", "v1," + signature)
            .POST(BodyPublishers.ofString(body))
            .build();
    return CLIENT.send(request, BodyHandlers.ofString());
  }

  private static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError("does not hold: " + what);
  }
}
