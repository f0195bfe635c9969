import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON value: a Map, List, String, Double, Boolean or null. The standard library of Java has no JSON of its own. */
record Json(Object value) {
  /** Returns the value of a JSON text. Throws IllegalArgumentException if the text is no JSON. */
  static Json parse(String text) {
    return new Json(new Reader(text).whole());
  }

  /** Returns a field of an object; null is the value of a field that is not there. */
  Json get(String field) {
    return new Json(as(Map.class, "an object").get(field));
  }

  /** Returns an element of an array. */
  Json get(int index) {
    return list().get(index);
  }

  List<Json> list() {
    List<Json> elements = new ArrayList<>();
    for (Object element : as(List.class, "an array")) elements.add(new Json(element));
    return elements;
  }

  List<String> texts() {
    return list().stream().map(Json::text).toList();
  }

  String text() {
    return as(String.class, "a text");
  }

  double number() {
    return as(Double.class, "a number");
  }

  int integer() {
    return (int) number();
  }

  boolean isNull() {
    return value == null;
  }

  private <T> T as(Class<T> type, String name) {
    if (!type.isInstance(value)) throw new IllegalArgumentException("expected " + name + ", not " + write(value));
    return type.cast(value);
  }

  /** Returns the JSON text of a value of the types above; whole numbers may be Integer or Long. */
  static String write(Object value) {
    StringBuilder text = new StringBuilder();
    write(value, text);
    return text.toString();
  }

  private static void write(Object value, StringBuilder text) {
    if (value instanceof Json json) write(json.value, text);
    else if (value instanceof Map<?, ?> map) writeMap(map, text);
    else if (value instanceof List<?> list) writeList(list, text);
    else if (value instanceof String string) writeString(string, text);
    else if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15)
      text.append(number.longValue());
    else text.append(value); // a number, true, false or null
  }

  private static void writeMap(Map<?, ?> map, StringBuilder text) {
    String before = "{";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      text.append(before);
      writeString(entry.getKey().toString(), text);
      text.append(':');
      write(entry.getValue(), text);
      before = ",";
    }
    text.append(map.isEmpty() ? "{}" : "}");
  }

  private static void writeList(List<?> list, StringBuilder text) {
    String before = "[";
    for (Object element : list) {
      text.append(before);
      write(element, text);
      before = ",";
    }
    text.append(list.isEmpty() ? "[]" : "]");
  }

  private static void writeString(String string, StringBuilder text) {
    text.append('"');
    for (char one : string.toCharArray()) {
      if (one == '"' || one == '\\') text.append('\\').append(one);
      else if (one < ' ') text.append(String.format("\\u%04x", (int) one));
      else text.append(one);
    }
    text.append('"');
  }

  /** A reader that goes through the text once, one function per kind of value. */
  private static final class Reader {
    private static final int DEEPEST = 100; // arrays and objects inside each other
    private final String text;
    private int at;
    private int depth;

    Reader(String text) {
      this.text = text;
    }

    Object whole() {
      Object value = value();
      if (peek() != 0) throw wrong("the end");
      return value;
    }

    private Object value() {
      switch (peek()) {
        case '{':
          return object();
        case '[':
          return array();
        case '"':
          return string();
        case 't':
          return word("true", true);
        case 'f':
          return word("false", false);
        case 'n':
          return word("null", null);
        default:
          return number();
      }
    }

    private Map<String, Object> object() {
      Map<String, Object> fields = new LinkedHashMap<>();
      for (boolean more = opens('{', '}'); more; more = continues('}')) {
        if (peek() != '"') throw wrong("the name of a field");
        String name = string();
        take(':');
        fields.put(name, value());
      }
      return fields;
    }

    private List<Object> array() {
      List<Object> elements = new ArrayList<>();
      for (boolean more = opens('[', ']'); more; more = continues(']')) elements.add(value());
      return elements;
    }

    /** Takes the bracket that opens; returns false and takes the other one too if there is nothing in between. */
    private boolean opens(char bracket, char closing) {
      take(bracket);
      if (++depth > DEEPEST) throw wrong("fewer brackets inside each other");
      return peek() != closing || end(closing);
    }

    /** Takes a comma and returns true, or takes the closing bracket and returns false. */
    private boolean continues(char closing) {
      if (peek() == closing) return end(closing);
      take(',');
      return true;
    }

    private boolean end(char closing) {
      take(closing);
      depth--;
      return false;
    }

    private String string() {
      take('"');
      StringBuilder string = new StringBuilder();
      for (char one = next(); one != '"'; one = next()) {
        if (one < ' ') throw wrong("no control character");
        string.append(one == '\\' ? escaped() : one);
      }
      return string.toString();
    }

    private char escaped() {
      char one = next();
      int plain = "\"\\/bfnrt".indexOf(one);
      if (plain >= 0) return "\"\\/\b\f\n\r\t".charAt(plain);
      if (one != 'u' || !text.substring(at, Math.min(at + 4, text.length())).matches("[0-9a-fA-F]{4}"))
        throw wrong("an escape");
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }

    private Double number() {
      int begin = at;
      while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
      String found = text.substring(begin, at);
      if (!found.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) throw wrong("a value");
      return Double.valueOf(found);
    }

    private Object word(String word, Object value) {
      if (!text.startsWith(word, at)) throw wrong(word);
      at += word.length();
      return value;
    }

    /** Skips spaces; returns the next character without taking it, 0 at the end. */
    private char peek() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
      return at < text.length() ? text.charAt(at) : 0;
    }

    private char next() {
      if (at >= text.length()) throw wrong("the end of a text");
      return text.charAt(at++);
    }

    private void take(char one) {
      if (peek() != one) throw wrong("" + one);
      at++;
    }

    private IllegalArgumentException wrong(String expected) {
      return new IllegalArgumentException("no JSON: expected " + expected + " at character " + at);
    }
  }
}
