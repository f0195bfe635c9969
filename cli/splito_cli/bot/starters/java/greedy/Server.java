import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;

/**
 * The HTTP server of the bot, from Java's standard library alone. The arena calls it; see docs/bot-contract.md of the arena.
 * Environment: HOST, PORT, SPLITO_BOT_SECRET (several with commas), or SPLITO_PUBLIC_KEY and SPLITO_BOT_ID.
 */
final class Server {
  private static final int MOST_BYTES = 16 * 1024 * 1024; // of a body

  /** A request whose signature has been checked. */
  record Request(Headers headers, byte[] body) {
    Json message() {
      return Json.parse(new String(body, StandardCharsets.UTF_8));
    }
  }

  interface Handler {
    Object answer(Request request) throws Exception;
  }

  record Route(String method, Handler handler) {}

  private final Map<String, Object> info;
  private final ToIntFunction<Json> choose;
  private final Gate gate;
  private final Map<String, Route> routes =
      Map.of(
          "info", new Route("GET", request -> info()),
          "ask", new Route("POST", request -> answer(request.message())),
          "batch", new Route("POST", this::batch),
          "challenge", new Route("POST", this::challenge));

  Server(Map<String, Object> info, ToIntFunction<Json> choose, Gate gate) {
    this.info = info;
    this.choose = choose;
    this.gate = gate;
  }

  private Map<String, Object> info() {
    Map<String, Object> told = new LinkedHashMap<>(info);
    told.put("ed25519", gate.checksEd25519());
    told.put("contract", 1);
    return told;
  }

  private Map<String, Object> answer(Json ask) {
    List<?> games = (List<?>) info.get("games");
    if (!games.contains(ask.get("game").text()))
      throw new Gate.Refusal(400, "unknown-game", "this bot does not play " + ask.get("game").text());
    try {
      return Map.of("ask", ask.get("id").text(), "index", choose.applyAsInt(ask));
    } catch (RuntimeException error) {
      error.printStackTrace();
      throw new Gate.Refusal(500, "crashed", "the answer to " + ask.get("id").text() + ": " + error);
    }
  }

  /** Answers several asks. An ask at which the bot fails is left out, so that the others count. */
  private Map<String, Object> batch(Request request) {
    List<Json> asks = request.message().get("asks").list();
    if (asks.size() > (int) info.get("batch"))
      throw new Gate.Refusal(400, "too-many", "this bot takes at most " + info.get("batch") + " asks in one request");
    List<Object> answers = new ArrayList<>();
    for (Json ask : asks) {
      try {
        answers.add(answer(ask));
      } catch (Gate.Refusal refusal) {
        System.err.println(refusal.getMessage());
      }
    }
    return Map.of("answers", answers);
  }

  private Map<String, Object> challenge(Request request) throws Exception {
    String challenge = request.message().get("challenge").text();
    return Map.of("answer", gate.proof(request.headers(), request.body(), challenge));
  }

  /** Answers a request. Only the last part of its path counts, so a bot may live at any base. */
  private void respond(HttpExchange exchange) throws IOException {
    try {
      send(exchange, 200, "application/json", handle(exchange));
    } catch (Gate.Refusal refusal) {
      refuse(exchange, refusal);
    } catch (IOException gone) { // the arena gave the ask up
      System.err.printf("%s: %s%n", exchange.getRequestURI(), gone.getMessage());
    } catch (Exception | StackOverflowError error) {
      error.printStackTrace();
      refuse(exchange, new Gate.Refusal(500, "crashed", error.toString()));
    }
  }

  private Object handle(HttpExchange exchange) throws Exception {
    String path = exchange.getRequestURI().getPath();
    Route route = routes.get(path.substring(path.lastIndexOf('/') + 1));
    if (route == null) throw new Gate.Refusal(404, "not-found", "there is nothing at " + path);
    if (!exchange.getRequestMethod().equals(route.method())) throw new Gate.Refusal(405, "not-allowed", "use " + route.method());
    byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
    if (body.length > MOST_BYTES) throw new Gate.Refusal(413, "too-large", "a body has at most " + MOST_BYTES + " bytes");
    gate.admit(exchange.getRequestHeaders(), body, System.currentTimeMillis());
    try {
      return route.handler().answer(new Request(exchange.getRequestHeaders(), body));
    } catch (IllegalArgumentException error) {
      throw new Gate.Refusal(400, "bad-request", "the body does not match the contract: " + error.getMessage());
    }
  }

  private static void refuse(HttpExchange exchange, Gate.Refusal refusal) throws IOException {
    System.err.printf("refused %s %s: %s%n", exchange.getRequestMethod(), exchange.getRequestURI(), refusal.getMessage());
    send(exchange, refusal.status, "application/problem+json", refusal.problem());
  }

  private static void send(HttpExchange exchange, int status, String type, Object message) throws IOException {
    byte[] body = Json.write(message).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    try (exchange) {
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** Listens at the address; every request has a thread of its own, of as many as the bot's `concurrency`. */
  HttpServer listen(String host, int port) throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // or every answer would wait 40 ms for an acknowledgement
    System.setProperty("sun.net.httpserver.idleInterval", "75"); // seconds, longer than the arena keeps a connection
    HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 128);
    server.createContext("/", this::respond);
    server.setExecutor(Executors.newFixedThreadPool((int) info.get("concurrency")));
    server.start();
    return server;
  }

  private static String setting(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  public static void main(String[] arguments) throws Exception {
    String secret = setting("SPLITO_BOT_SECRET", "");
    try {
      Gate gate = new Gate(secret, setting("SPLITO_PUBLIC_KEY", ""), setting("SPLITO_BOT_ID", ""));
      Server bot = new Server(MyBot.INFO, MyBot::choose, gate);
      HttpServer server = bot.listen(setting("HOST", "127.0.0.1"), Integer.parseInt(setting("PORT", "8001")));
      String url = "http://" + setting("HOST", "127.0.0.1") + ":" + server.getAddress().getPort();
      System.err.printf("%s %s listens at %s; Ctrl-C stops it%n", bot.info.get("name"), bot.info.get("version"), url);
      if (gate.isOpen())
        System.err.println("WARNING: without SPLITO_BOT_SECRET, every program that reaches this address may ask the bot");
    } catch (IllegalArgumentException | java.net.BindException error) {
      System.err.println(error.getMessage() + ": check SPLITO_BOT_SECRET, SPLITO_PUBLIC_KEY, SPLITO_BOT_ID, HOST and PORT");
      System.exit(2);
    }
  }
}
