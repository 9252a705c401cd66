package sqe.jvm;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;

/** JSON as text: read, and written the one way that Trino writes it. */
final class JsonTexts {
  static final JsonFactory FACTORY = new JsonFactory();
  private static final ObjectMapper WHOLE =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final ObjectMapper PART = new ObjectMapper();

  private JsonTexts() {}

  /** The tree of a text; null when it is not JSON. */
  static JsonNode tree(String text) {
    try {
      JsonNode tree = WHOLE.readTree(text);
      return tree == null || tree.isMissingNode() ? null : tree;
    } catch (IOException wrong) {
      return null;
    }
  }

  static JsonNode treeAt(JsonParser parser) throws IOException {
    return (JsonNode) PART.readTree(parser);
  }

  static UTF8String written(JsonNode node, boolean sorted) {
    StringBuilder out = new StringBuilder();
    write(node, sorted, out);
    return UTF8String.fromString(out.toString());
  }

  static void write(JsonNode node, boolean sorted, StringBuilder out) {
    if (node.isObject()) {
      List names = new ArrayList();
      for (Iterator fields = node.fieldNames(); fields.hasNext(); ) {
        names.add(fields.next());
      }
      if (sorted) {
        Collections.sort(names);
      }
      out.append('{');
      for (int i = 0; i < names.size(); i++) {
        out.append(i == 0 ? "" : ",");
        quote((String) names.get(i), out);
        write((JsonNode) node.get((String) names.get(i)), sorted, out.append(':'));
      }
      out.append('}');
    } else if (node.isArray()) {
      out.append('[');
      for (int i = 0; i < node.size(); i++) {
        write((JsonNode) node.get(i), sorted, out.append(i == 0 ? "" : ","));
      }
      out.append(']');
    } else if (node.isTextual()) {
      quote(node.textValue(), out);
    } else if (node.isDouble() || node.isFloat()) {
      String number = node.isFloat() ? Float.toString(node.floatValue()) : Double.toString(node.doubleValue());
      boolean finite = !Double.isNaN(node.doubleValue()) && !Double.isInfinite(node.doubleValue());
      out.append(finite ? number : "\"" + number + "\"");
    } else if (node.isBigDecimal()) {
      out.append(node.decimalValue().toPlainString());
    } else {
      out.append(node.asText());
    }
  }

  static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char sign = text.charAt(i);
      int known = "\"\\\b\f\n\r\t".indexOf(sign);
      if (known >= 0) {
        out.append('\\').append("\"\\bfnrt".charAt(known));
      } else if (sign < ' ' || Character.isSurrogate(sign)) {
        out.append("\\u").append(String.format("%04X", new Object[] {Integer.valueOf(sign)}));
      } else {
        out.append(sign);
      }
    }
    out.append('"');
  }

  /** Moves a parser to what a path names: texts are fields, numbers are elements. False when it is not there. */
  static boolean seek(JsonParser parser, List steps) throws IOException {
    if (parser.nextToken() == null) {
      return false;
    }
    for (int i = 0; i < steps.size(); i++) {
      String step = (String) steps.get(i);
      JsonToken at = parser.currentToken();
      if (!(at == JsonToken.START_OBJECT ? field(parser, step) : at == JsonToken.START_ARRAY && element(parser, step))) {
        return false;
      }
    }
    return true;
  }

  private static boolean field(JsonParser parser, String name) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      boolean found = parser.currentName().equals(name);
      parser.nextToken();
      if (found) {
        return true;
      }
      parser.skipChildren();
    }
    return false;
  }

  private static boolean element(JsonParser parser, String step) throws IOException {
    if (!step.matches("[0-9]{1,9}")) {
      return false;
    }
    for (int left = Integer.parseInt(step); parser.nextToken() != JsonToken.END_ARRAY; left--) {
      if (left == 0) {
        return true;
      }
      parser.skipChildren();
    }
    return false;
  }
}
