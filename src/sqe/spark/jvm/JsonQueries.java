package sqe.jvm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * JSON_EXISTS, JSON_VALUE and JSON_QUERY. Each takes a row: document, path, options, then the values passed to the path.
 * The options are `on empty;on error;wrapper;quotes;names of the values…` (see json_clauses.py).
 */
public final class JsonQueries {
  private static final ConcurrentHashMap PATHS = new ConcurrentHashMap();
  private static final int VALUE = 0;
  private static final int EMPTY = 1;
  private static final int ERROR = 2;

  private JsonQueries() {}

  private static String[] options(InternalRow row) {
    return row.getUTF8String(2).toString().split(";", -1);
  }

  /** The items that the path finds; null after an error. */
  private static List found(InternalRow row, UTF8String types, String[] options) {
    JsonPathNode path = path(row.getUTF8String(1).toString());
    boolean strict = options[1].equals("ERROR");
    JsonNode document = JsonTexts.tree(row.getUTF8String(0).toString());
    if (document == null) {
      if (strict) {
        throw new BadValue("not JSON: " + row.getUTF8String(0));
      }
      return null;
    }
    try {
      return new JsonPathRun(path.word, document, parameters(row, types, options)).items(path.part(0), null, -1);
    } catch (JsonPathRun.Misfit wrong) {
      if (strict) {
        throw new BadValue("the JSON path does not fit: " + wrong.getMessage());
      }
      return null;
    }
  }

  private static JsonPathNode path(String text) {
    JsonPathNode path = (JsonPathNode) PATHS.get(text);
    if (path == null) {
      path = JsonPathParser.parse(text);
      if (PATHS.size() > 500) {
        PATHS.clear();
      }
      PATHS.put(text, path);
    }
    return path;
  }

  private static Map parameters(InternalRow row, UTF8String types, String[] options) {
    Map parameters = new HashMap();
    StructType type = (StructType) Formats.type(types.toString());
    for (int i = 3; i < type.length(); i++) {
      DataType kind = type.fields()[i].dataType();
      parameters.put(options[i + 1], JsonMaking.scalar(row.isNullAt(i) ? null : row.get(i, kind), kind));
    }
    return parameters;
  }

  public static Boolean exists(InternalRow row, UTF8String types) {
    if (row.isNullAt(0) || row.isNullAt(1)) {
      return null;
    }
    String[] options = options(row);
    List found = found(row, types, options);
    if (found != null) {
      return Boolean.valueOf(!found.isEmpty());
    }
    return options[1].equals("UNKNOWN") ? null : Boolean.valueOf(options[1].equals("TRUE"));
  }

  /** Whether JSON_VALUE has a value (0), nothing (1) or an error (2). */
  public static int state(InternalRow row, UTF8String types) {
    if (row.isNullAt(0) || row.isNullAt(1)) {
      return VALUE;
    }
    String[] options = options(row);
    List found = found(row, types, options);
    if (found != null && found.isEmpty()) {
      if (options[0].equals("ERROR")) {
        throw new BadValue("JSON_VALUE finds nothing");
      }
      return EMPTY;
    }
    if (found != null && found.size() == 1 && ((JsonNode) found.get(0)).isValueNode()) {
      return VALUE;
    }
    if (options[1].equals("ERROR")) {
      throw new BadValue("JSON_VALUE finds something else than one plain value");
    }
    return ERROR;
  }

  /** The value of JSON_VALUE, as JSON. */
  public static UTF8String item(InternalRow row, UTF8String types) {
    if (row.isNullAt(0) || row.isNullAt(1) || state(row, types) != VALUE) {
      return null;
    }
    JsonNode item = (JsonNode) found(row, types, options(row)).get(0);
    return item.isNull() ? null : JsonTexts.written(item, false);
  }

  public static UTF8String query(InternalRow row, UTF8String types) {
    if (row.isNullAt(0) || row.isNullAt(1)) {
      return null;
    }
    String[] options = options(row);
    List found = found(row, types, options);
    if (found == null) {
      return otherwise(options[1]);
    }
    if (found.isEmpty()) {
      return otherwise(options[0]);
    }
    JsonNode only = found.size() == 1 ? (JsonNode) found.get(0) : null;
    boolean wrap = options[2].equals("UNCONDITIONAL")
        || (options[2].equals("CONDITIONAL") && (only == null || only.isValueNode()));
    if (wrap) {
      ArrayNode all = JsonNodeFactory.instance.arrayNode();
      for (int i = 0; i < found.size(); i++) {
        all.add((JsonNode) found.get(i));
      }
      return JsonTexts.written(all, false);
    }
    if (only == null) {
      return otherwise(options[1]);
    }
    boolean bare = options[3].equals("OMIT") && only.isTextual();
    return bare ? UTF8String.fromString(only.textValue()) : JsonTexts.written(only, false);
  }

  /** All items, as JSON; none after an error. */
  public static ArrayData all(InternalRow row, UTF8String types) {
    List found = row.isNullAt(0) || row.isNullAt(1) ? null : found(row, types, options(row));
    Object[] items = new Object[found == null ? 0 : found.size()];
    for (int i = 0; i < items.length; i++) {
      items[i] = JsonTexts.written((JsonNode) found.get(i), false);
    }
    return new GenericArrayData(items);
  }

  private static UTF8String otherwise(String wish) {
    if (wish.equals("ERROR")) {
      throw new BadValue("JSON_QUERY finds nothing, or more than one item without a wrapper");
    }
    return wish.equals("ARRAY") ? UTF8String.fromString("[]") : wish.equals("OBJECT") ? UTF8String.fromString("{}") : null;
  }
}
