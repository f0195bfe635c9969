import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A bot that collects the cards that the moons and stars of its zones count: a Splito score is left zone × right zone. */
final class MyBot {
  static final Map<String, Object> INFO =
      Map.of(
          "name", "MY-BOT",
          "author", "me",
          "version", "1", // the ratings treat a new version as a new bot
          "games", List.of("splito", "splitit", "splitter"),
          "batch", 64, // asks in one request
          "concurrency", 8); // requests at the same time

  /** Returns the index of one of the moves of the ask. */
  static int choose(Json ask) {
    List<Json> moves = ask.get("moves").list();
    if (!ask.get("game").text().equals("splito"))
      return (int) (Long.parseLong(ask.get("seed").text().substring(0, 8), 16) % moves.size());
    int best = 0;
    int most = -1;
    for (int index = 0; index < moves.size(); index++) {
      int worth = hope(ask, moves.get(index), "left") * hope(ask, moves.get(index), "right");
      if (worth > most) {
        best = index;
        most = worth;
      }
    }
    return best;
  }

  /** Returns 1, and 1 more for each card that a moon or star counts in that zone of the seat after the move. */
  private static int hope(Json ask, Json move, String side) {
    Json view = ask.get("view");
    int zone = view.get("seats").get(ask.get("seat").integer()).get(side).integer();
    List<String> cards = new ArrayList<>(view.get("zones").get(zone).texts());
    if (move.get("side").text().equals(side)) cards.add(move.get("card").text());
    List<String> objectives = new ArrayList<>(cards);
    objectives.addAll(view.get("commons").texts());
    int sum = 1;
    for (String objective : objectives) {
      String sign = countedBy(objective);
      if (!sign.isEmpty())
        sum += (int) cards.stream().filter(card -> !card.contains("-") && card.contains(sign)).count();
    }
    return sum;
  }

  /** Returns the sign of the cards that an Objective counts: "r" for moon-red, "4" for star-4, nothing for the others. */
  private static String countedBy(String card) {
    if (!card.startsWith("moon-") && !card.startsWith("star-")) return "";
    return card.endsWith("-black") ? "k" : card.substring(5, 6);
  }
}
