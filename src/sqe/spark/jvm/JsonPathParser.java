package sqe.jvm;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a path of SQL/JSON: `lax $.a[*]?(@.price > 10).name`. */
final class JsonPathParser {
  private static final Pattern TOKEN = Pattern.compile(
      "\\s*(?:(\"(?:[^\"\\\\]|\\\\.)*\")|([0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|([\\p{L}_][\\p{L}\\p{N}_]*)"
          + "|(\\$[\\p{L}_][\\p{L}\\p{N}_]*)|(\\.\\.|==|<>|!=|<=|>=|&&|\\|\\||[$@.*?()\\[\\],<>!+/%-]))");
  private static final String[] COMPARISONS = {"==", "<>", "!=", "<=", ">=", "<", ">"};

  private final String path;
  private final List tokens = new ArrayList();
  private int at;

  private JsonPathParser(String path) {
    this.path = path;
    Matcher matcher = TOKEN.matcher(path);
    int from = 0;
    while (from < path.length() && matcher.find(from) && matcher.start() == from) {
      tokens.add(matcher.group().trim());
      from = matcher.end();
    }
    if (!path.substring(from).trim().isEmpty()) {
      throw wrong();
    }
  }

  /** The word of the root is its mode. */
  static JsonPathNode parse(String path) {
    JsonPathParser parser = new JsonPathParser(path);
    String mode = parser.next();
    if (!mode.equals("lax") && !mode.equals("strict")) {
      throw new BadValue("a JSON path begins with lax or strict: '" + path + "'");
    }
    JsonPathNode root = new JsonPathNode("root", mode, null).with(parser.sum());
    if (parser.at < parser.tokens.size()) {
      throw parser.wrong();
    }
    return root;
  }

  private BadValue wrong() {
    return new BadValue("not a JSON path: '" + path + "'");
  }

  private String peek() {
    return at < tokens.size() ? (String) tokens.get(at) : "";
  }

  private String next() {
    if (at >= tokens.size()) {
      throw wrong();
    }
    return (String) tokens.get(at++);
  }

  private boolean take(String token) {
    boolean found = peek().equals(token);
    at += found ? 1 : 0;
    return found;
  }

  private void need(String token) {
    if (!take(token)) {
      throw wrong();
    }
  }

  private JsonPathNode sum() {
    JsonPathNode left = product();
    while (peek().equals("+") || peek().equals("-")) {
      left = new JsonPathNode("arithmetic", next(), null).with(left).with(product());
    }
    return left;
  }

  private JsonPathNode product() {
    JsonPathNode left = signed();
    while (peek().equals("*") || peek().equals("/") || peek().equals("%")) {
      left = new JsonPathNode("arithmetic", next(), null).with(left).with(signed());
    }
    return left;
  }

  private JsonPathNode signed() {
    if (peek().equals("+") || peek().equals("-")) {
      return new JsonPathNode("sign", next(), null).with(signed());
    }
    return steps(primary());
  }

  private JsonPathNode primary() {
    String token = next();
    if (token.equals("(")) {
      JsonPathNode inner = sum();
      need(")");
      return inner;
    }
    if (token.equals("$") || token.equals("@") || token.equals("last")) {
      return new JsonPathNode(token, null, null);
    }
    if (token.startsWith("$")) {
      return new JsonPathNode("parameter", token.substring(1), null);
    }
    JsonNode literal = JsonTexts.tree(token);
    if (literal == null || literal.isContainerNode()) {
      throw wrong();
    }
    return new JsonPathNode("literal", null, literal);
  }

  private JsonPathNode steps(JsonPathNode start) {
    JsonPathNode made = start;
    while (true) {
      if (take("..")) {
        made = new JsonPathNode("descendants", name(next()), null).with(made);
      } else if (take(".")) {
        made = member(made);
      } else if (take("[")) {
        made = subscript(made);
      } else if (take("?")) {
        need("(");
        made = new JsonPathNode("filter", null, null).with(made).with(either());
        need(")");
      } else {
        return made;
      }
    }
  }

  private JsonPathNode member(JsonPathNode of) {
    if (take("*")) {
      return new JsonPathNode("members", null, null).with(of);
    }
    String token = next();
    if (!token.startsWith("\"") && take("(")) {
      need(")");
      return new JsonPathNode("method", token, null).with(of);
    }
    return new JsonPathNode("member", name(token), null).with(of);
  }

  private String name(String token) {
    if (token.startsWith("\"")) {
      return JsonTexts.tree(token).textValue();
    }
    if (!Character.isLetter(token.charAt(0)) && token.charAt(0) != '_') {
      throw wrong();
    }
    return token;
  }

  private JsonPathNode subscript(JsonPathNode of) {
    if (take("*")) {
      need("]");
      return new JsonPathNode("elements", null, null).with(of);
    }
    JsonPathNode made = new JsonPathNode("subscript", null, null).with(of);
    do {
      JsonPathNode range = new JsonPathNode("range", null, null).with(sum());
      if (take("to")) {
        range.with(sum());
      }
      made.with(range);
    } while (take(","));
    need("]");
    return made;
  }

  private JsonPathNode either() {
    JsonPathNode left = both();
    while (take("||")) {
      left = new JsonPathNode("or", null, null).with(left).with(both());
    }
    return left;
  }

  private JsonPathNode both() {
    JsonPathNode left = condition();
    while (take("&&")) {
      left = new JsonPathNode("and", null, null).with(left).with(condition());
    }
    return left;
  }

  private JsonPathNode condition() {
    if (take("!")) {
      need("(");
      JsonPathNode inner = either();
      need(")");
      return new JsonPathNode("not", null, null).with(inner);
    }
    if (take("exists")) {
      need("(");
      JsonPathNode inner = sum();
      need(")");
      return new JsonPathNode("exists", null, null).with(inner);
    }
    int here = at;
    if (take("(")) {
      // Brackets may hold a condition or a value; only what follows tells.
      try {
        JsonPathNode inner = either();
        need(")");
        if (take("is")) {
          need("unknown");
          return new JsonPathNode("unknown", null, null).with(inner);
        }
        return inner;
      } catch (BadValue noCondition) {
        at = here;
      }
    }
    return comparison();
  }

  private JsonPathNode comparison() {
    JsonPathNode left = sum();
    if (take("starts")) {
      need("with");
      return new JsonPathNode("starts", null, null).with(left).with(sum());
    }
    if (peek().equals("like_regex")) {
      throw new BadValue("like_regex is not supported in JSON paths");
    }
    for (int i = 0; i < COMPARISONS.length; i++) {
      if (take(COMPARISONS[i])) {
        return new JsonPathNode("compare", COMPARISONS[i], null).with(left).with(sum());
      }
    }
    throw wrong();
  }
}
