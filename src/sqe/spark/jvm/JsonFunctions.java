package sqe.jvm;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.unsafe.types.UTF8String;

/** The JSON functions from before the SQL standard had its own: a path is a plain list of steps. */
public final class JsonFunctions {
  private static final Pattern STEP =
      Pattern.compile("\\.([\\p{L}\\p{N}_$:]+)|\\[([0-9]+)\\]|\\[\"((?:[^\"\\\\]|\\\\.)*)\"\\]");
  private static final ConcurrentHashMap PATHS = new ConcurrentHashMap();

  private JsonFunctions() {}

  public static UTF8String parse(UTF8String text) {
    JsonNode tree = JsonTexts.tree(text.toString());
    if (tree == null) {
      throw new BadValue("not JSON: " + text);
    }
    return JsonTexts.written(tree, true);
  }

  private static List steps(UTF8String path) {
    List steps = (List) PATHS.get(path);
    if (steps != null) {
      return steps;
    }
    String text = path.toString();
    steps = new ArrayList();
    Matcher matcher = STEP.matcher(text);
    int at = 1;
    while (text.startsWith("$") && at < text.length() && matcher.find(at) && matcher.start() == at) {
      String quoted = matcher.group(3);
      steps.add(matcher.group(1) != null ? matcher.group(1)
          : matcher.group(2) != null ? matcher.group(2) : quoted.replaceAll("\\\\(.)", "$1"));
      at = matcher.end();
    }
    if (!text.startsWith("$") || at < text.length()) {
      throw new BadValue("not a JSON path: '" + text + "'");
    }
    if (PATHS.size() > 500) {
      PATHS.clear();
    }
    PATHS.put(path.copy(), steps);
    return steps;
  }

  public static UTF8String extract(UTF8String json, UTF8String path) {
    List steps = steps(path);
    try {
      JsonParser parser = JsonTexts.FACTORY.createParser(json.toString());
      return JsonTexts.seek(parser, steps) ? JsonTexts.written(JsonTexts.treeAt(parser), true) : null;
    } catch (IOException wrong) {
      return null;
    }
  }

  public static UTF8String extractScalar(UTF8String json, UTF8String path) {
    List steps = steps(path);
    try {
      JsonParser parser = JsonTexts.FACTORY.createParser(json.toString());
      return JsonTexts.seek(parser, steps) ? scalar(parser) : null;
    } catch (IOException wrong) {
      return null;
    }
  }

  private static UTF8String scalar(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    boolean plain = token.isScalarValue() && token != JsonToken.VALUE_NULL;
    return plain ? UTF8String.fromString(parser.getText()) : null;
  }

  public static Long size(UTF8String json, UTF8String path) {
    List steps = steps(path);
    try {
      JsonParser parser = JsonTexts.FACTORY.createParser(json.toString());
      return JsonTexts.seek(parser, steps) ? Long.valueOf(JsonTexts.treeAt(parser).size()) : null;
    } catch (IOException wrong) {
      return null;
    }
  }

  public static Long arrayLength(UTF8String json) {
    JsonNode tree = JsonTexts.tree(json.toString());
    return tree == null || !tree.isArray() ? null : Long.valueOf(tree.size());
  }

  public static UTF8String arrayGet(UTF8String json, long index) {
    JsonNode tree = JsonTexts.tree(json.toString());
    if (tree == null || !tree.isArray()) {
      return null;
    }
    long at = index < 0 ? tree.size() + index : index;
    if (at < 0 || at >= tree.size()) {
      return null;
    }
    try {
      JsonParser parser = JsonTexts.FACTORY.createParser(json.toString());
      List steps = new ArrayList();
      steps.add(String.valueOf(at));
      JsonTexts.seek(parser, steps);
      return parser.currentToken().isScalarValue() ? scalar(parser) : JsonTexts.written(JsonTexts.treeAt(parser), true);
    } catch (IOException wrong) {
      return null;
    }
  }

  public static Boolean containsText(UTF8String json, UTF8String value) {
    return contains(json, 't', value.toString(), 0, 0, false);
  }

  public static Boolean containsLong(UTF8String json, long value) {
    return contains(json, 'l', null, value, 0, false);
  }

  public static Boolean containsDouble(UTF8String json, double value) {
    return contains(json, 'd', null, 0, value, false);
  }

  public static Boolean containsBoolean(UTF8String json, boolean value) {
    return contains(json, 'b', null, 0, 0, value);
  }

  private static Boolean contains(UTF8String json, char kind, String text, long whole, double number, boolean truth) {
    JsonNode tree = JsonTexts.tree(json.toString());
    if (tree == null || !tree.isArray()) {
      return null;
    }
    for (int i = 0; i < tree.size(); i++) {
      JsonNode item = (JsonNode) tree.get(i);
      boolean same = kind == 't' ? item.isTextual() && item.textValue().equals(text)
          : kind == 'l' ? item.isIntegralNumber() && item.canConvertToLong() && item.longValue() == whole
          : kind == 'd' ? item.isDouble() && item.doubleValue() == number
          : item.isBoolean() && item.booleanValue() == truth;
      if (same) {
        return Boolean.TRUE;
      }
    }
    return Boolean.FALSE;
  }

  public static boolean isScalar(UTF8String json) {
    JsonNode tree = JsonTexts.tree(json.toString());
    if (tree == null) {
      throw new BadValue("not JSON: " + json);
    }
    return tree.isValueNode();
  }
}
