package sqe.jvm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** JSON from values. */
public final class JsonMaking {
  private static final JsonNodeFactory NODES = new JsonNodeFactory(true);

  private JsonMaking() {}

  /** CAST(x AS json); the row has x only. */
  public static UTF8String cast(InternalRow row, UTF8String types) {
    DataType type = ((StructType) Formats.type(types.toString())).fields()[0].dataType();
    if (row.isNullAt(0)) {
      return null;
    }
    StringBuilder out = new StringBuilder();
    write(row.get(0, type), type, out);
    return UTF8String.fromString(out.toString());
  }

  private static void write(Object value, DataType type, StringBuilder out) {
    if (value == null) {
      out.append("null");
    } else if (type instanceof ArrayType) {
      ArrayData items = (ArrayData) value;
      DataType inner = ((ArrayType) type).elementType();
      out.append('[');
      for (int i = 0; i < items.numElements(); i++) {
        write(items.isNullAt(i) ? null : items.get(i, inner), inner, out.append(i == 0 ? "" : ","));
      }
      out.append(']');
    } else if (type instanceof MapType) {
      writeMap((MapData) value, (MapType) type, out);
    } else if (type instanceof StructType) {
      // Written by hand: a row without names of fields gives one object with several empty names.
      InternalRow row = (InternalRow) value;
      StructType fields = (StructType) type;
      out.append('{');
      for (int i = 0; i < fields.length(); i++) {
        String name = fields.fields()[i].name();
        DataType inner = fields.fields()[i].dataType();
        JsonTexts.quote(name.equals("field" + i) ? "" : name, out.append(i == 0 ? "" : ","));
        write(row.isNullAt(i) ? null : row.get(i, inner), inner, out.append(':'));
      }
      out.append('}');
    } else {
      JsonTexts.write(scalar(value, type), true, out);
    }
  }

  private static void writeMap(MapData map, MapType type, StringBuilder out) {
    TreeMap sorted = new TreeMap();
    for (int i = 0; i < map.numElements(); i++) {
      JsonNode key = scalar(map.keyArray().get(i, type.keyType()), type.keyType());
      boolean missing = map.valueArray().isNullAt(i);
      StringBuilder value = new StringBuilder();
      write(missing ? null : map.valueArray().get(i, type.valueType()), type.valueType(), value);
      sorted.put(key.asText(), value);
    }
    out.append('{');
    boolean first = true;
    for (java.util.Iterator keys = sorted.keySet().iterator(); keys.hasNext(); first = false) {
      String key = (String) keys.next();
      JsonTexts.quote(key, out.append(first ? "" : ","));
      out.append(':').append((StringBuilder) sorted.get(key));
    }
    out.append('}');
  }

  /** A plain value as an item of JSON. */
  static JsonNode scalar(Object value, DataType type) {
    if (value == null) {
      return NODES.nullNode();
    }
    String kind = Kinds.nameOf(type);
    if (value instanceof Boolean) {
      return NODES.booleanNode(((Boolean) value).booleanValue());
    }
    if (value instanceof Decimal) {
      return NODES.numberNode(((Decimal) value).toJavaBigDecimal());
    }
    if (kind.equals("real")) {
      return NODES.numberNode(((Float) value).floatValue());
    }
    if (kind.equals("double")) {
      return NODES.numberNode(((Double) value).doubleValue());
    }
    if (kind.endsWith("int") || kind.equals("integer")) {
      return NODES.numberNode(((Number) value).longValue());
    }
    if (kind.equals("varchar")) {
      return NODES.textNode(value.toString());
    }
    if (kind.equals("date") || kind.equals("timestamp") || kind.equals("time")) {
      return NODES.textNode(Formats.java(value, kind).toString().replace('T', ' ').replaceAll(" (\\d\\d:\\d\\d)$", " $1:00"));
    }
    throw new BadValue("a " + kind + " cannot become JSON");
  }

  /** json_object: the row has the options, then names and values in turn. */
  public static UTF8String object(InternalRow row, UTF8String types) {
    StructType type = (StructType) Formats.type(types.toString());
    String[] options = row.getUTF8String(0).toString().split(";", -1);
    ObjectNode made = NODES.objectNode();
    TreeMap sorted = new TreeMap();
    for (int i = 1; i + 1 < type.length(); i += 2) {
      if (row.isNullAt(i)) {
        throw new BadValue("a key in json_object is NULL");
      }
      JsonNode value = member(row, type, i + 1, options[1].charAt((i - 1) / 2));
      String key = row.get(i, type.fields()[i].dataType()).toString();
      if (value.isNull() && row.isNullAt(i + 1) && options[0].startsWith("ABSENT")) {
        continue;
      }
      if (sorted.put(key, value) != null) {
        throw new BadValue("the key " + key + " stands twice in json_object");
      }
    }
    for (java.util.Iterator keys = sorted.keySet().iterator(); keys.hasNext(); ) {
      String key = (String) keys.next();
      made.set(key, (JsonNode) sorted.get(key));
    }
    return JsonTexts.written(made, false);
  }

  /** json_array: the row has the options, then the values. */
  public static UTF8String array(InternalRow row, UTF8String types) {
    StructType type = (StructType) Formats.type(types.toString());
    String[] options = row.getUTF8String(0).toString().split(";", -1);
    ArrayNode made = NODES.arrayNode();
    for (int i = 1; i < type.length(); i++) {
      if (!row.isNullAt(i) || !options[0].startsWith("ABSENT")) {
        made.add(member(row, type, i, options[1].charAt(i - 1)));
      }
    }
    return JsonTexts.written(made, false);
  }

  /** A value; one that is marked `r` is JSON already. */
  private static JsonNode member(InternalRow row, StructType type, int at, char form) {
    DataType kind = type.fields()[at].dataType();
    Object value = row.isNullAt(at) ? null : row.get(at, kind);
    if (form != 'r' || value == null) {
      return scalar(value, kind);
    }
    JsonNode tree = JsonTexts.tree(value.toString());
    if (tree == null) {
      throw new BadValue("not JSON: " + value);
    }
    return tree;
  }
}
