package sqe.jvm;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** Values from JSON. In the types here, VARIANT stands for what stays JSON. */
public final class JsonCasts {
  private JsonCasts() {}

  // Generated code wants the very type; each of these answers null for JSON's null. An attempt at what does not fit
  // is null too, but what fails before, in the making of the JSON, still fails.

  public static Boolean toBoolean(UTF8String json, UTF8String type, boolean attempt) {
    return (Boolean) converted(json, type, attempt);
  }

  public static Byte toByte(UTF8String json, UTF8String type, boolean attempt) {
    return (Byte) converted(json, type, attempt);
  }

  public static Short toShort(UTF8String json, UTF8String type, boolean attempt) {
    return (Short) converted(json, type, attempt);
  }

  public static Integer toInteger(UTF8String json, UTF8String type, boolean attempt) {
    return (Integer) converted(json, type, attempt);
  }

  public static Long toLong(UTF8String json, UTF8String type, boolean attempt) {
    return (Long) converted(json, type, attempt);
  }

  public static Float toFloat(UTF8String json, UTF8String type, boolean attempt) {
    return (Float) converted(json, type, attempt);
  }

  public static Double toDouble(UTF8String json, UTF8String type, boolean attempt) {
    return (Double) converted(json, type, attempt);
  }

  public static Decimal toDecimal(UTF8String json, UTF8String type, boolean attempt) {
    return (Decimal) converted(json, type, attempt);
  }

  public static UTF8String toText(UTF8String json, UTF8String type, boolean attempt) {
    return (UTF8String) converted(json, type, attempt);
  }

  public static ArrayData toArray(UTF8String json, UTF8String type, boolean attempt) {
    return (ArrayData) converted(json, type, attempt);
  }

  public static MapData toMap(UTF8String json, UTF8String type, boolean attempt) {
    return (MapData) converted(json, type, attempt);
  }

  public static InternalRow toRow(UTF8String json, UTF8String type, boolean attempt) {
    return (InternalRow) converted(json, type, attempt);
  }

  private static Object converted(UTF8String json, UTF8String type, boolean attempt) {
    JsonNode tree = JsonTexts.tree(json.toString());
    if (tree == null) {
      throw new BadValue("not JSON: " + json);
    }
    try {
      return value(tree, Formats.type(type.toString()));
    } catch (BadValue unfit) {
      if (attempt) {
        return null;
      }
      throw unfit;
    }
  }

  private static Object value(JsonNode node, DataType type) {
    if (Kinds.nameOf(type).equals("variant")) {
      return JsonTexts.written(node, true);
    }
    if (node.isNull()) {
      return null;
    }
    if (type instanceof ArrayType) {
      return array(node, ((ArrayType) type).elementType());
    }
    if (type instanceof MapType) {
      return map(node, (MapType) type);
    }
    if (type instanceof StructType) {
      return row(node, (StructType) type);
    }
    if (!node.isValueNode()) {
      throw wrong(node, type);
    }
    try {
      return scalar(node, Kinds.nameOf(type), type);
    } catch (ArithmeticException unfit) {
      throw wrong(node, type);
    } catch (NumberFormatException unfit) {
      throw wrong(node, type);
    }
  }

  private static BadValue wrong(JsonNode node, DataType type) {
    return new BadValue("cannot cast JSON " + JsonTexts.written(node, true) + " to " + TypeNames.name(type));
  }

  private static Object array(JsonNode node, DataType inner) {
    if (!node.isArray()) {
      throw new BadValue("cannot cast JSON " + JsonTexts.written(node, true) + " to an array");
    }
    Object[] items = new Object[node.size()];
    for (int i = 0; i < items.length; i++) {
      items[i] = value((JsonNode) node.get(i), inner);
    }
    return new GenericArrayData(items);
  }

  private static Object map(JsonNode node, MapType type) {
    if (!node.isObject()) {
      throw wrong(node, type);
    }
    Map entries = new LinkedHashMap();
    for (Iterator names = node.fieldNames(); names.hasNext(); ) {
      String name = (String) names.next();
      JsonNode key = com.fasterxml.jackson.databind.node.TextNode.valueOf(name);
      entries.put(value(key, type.keyType()), value((JsonNode) node.get(name), type.valueType()));
    }
    return Splits.map(entries);
  }

  /** From an array by place, from an object by name, in whatever case. */
  private static Object row(JsonNode node, StructType type) {
    Object[] fields = new Object[type.length()];
    if (node.isArray()) {
      if (node.size() != fields.length) {
        throw wrong(node, type);
      }
      for (int i = 0; i < fields.length; i++) {
        fields[i] = value((JsonNode) node.get(i), type.fields()[i].dataType());
      }
      return new GenericInternalRow(fields);
    }
    if (!node.isObject()) {
      throw wrong(node, type);
    }
    for (Iterator names = node.fieldNames(); names.hasNext(); ) {
      String name = (String) names.next();
      for (int i = 0; i < fields.length; i++) {
        if (type.fields()[i].name().equalsIgnoreCase(name)) {
          fields[i] = value((JsonNode) node.get(name), type.fields()[i].dataType());
        }
      }
    }
    return new GenericInternalRow(fields);
  }

  private static Object scalar(JsonNode node, String kind, DataType type) {
    if (kind.equals("varchar")) {
      return text(node);
    }
    if (kind.equals("boolean")) {
      return truth(node, type);
    }
    if (kind.equals("double")) {
      return Double.valueOf(node.isBoolean() ? (node.booleanValue() ? 1 : 0) : Double.parseDouble(node.asText()));
    }
    if (kind.equals("real")) {
      return Float.valueOf(node.isBoolean() ? (node.booleanValue() ? 1 : 0) : Float.parseFloat(node.asText()));
    }
    BigDecimal number = node.isBoolean() ? BigDecimal.valueOf(node.booleanValue() ? 1 : 0) : new BigDecimal(node.asText());
    if (kind.equals("decimal")) {
      DecimalType decimal = (DecimalType) type;
      BigDecimal rounded = number.setScale(decimal.scale(), RoundingMode.HALF_UP);
      if (rounded.precision() > decimal.precision()) {
        throw wrong(node, type);
      }
      return Decimal.apply(rounded, decimal.precision(), decimal.scale());
    }
    BigDecimal whole = node.isTextual() ? number : number.setScale(0, RoundingMode.HALF_UP);
    if (kind.equals("tinyint")) {
      return Byte.valueOf(whole.byteValueExact());
    }
    if (kind.equals("smallint")) {
      return Short.valueOf(whole.shortValueExact());
    }
    return kind.equals("integer") ? (Object) Integer.valueOf(whole.intValueExact()) : Long.valueOf(whole.longValueExact());
  }

  static UTF8String text(JsonNode node) {
    return node.isDouble() ? Texts.ofDouble(node.doubleValue()) : UTF8String.fromString(node.asText());
  }

  private static Boolean truth(JsonNode node, DataType type) {
    if (node.isBoolean() || node.isNumber()) {
      return Boolean.valueOf(node.isNumber() ? node.doubleValue() != 0 : node.booleanValue());
    }
    String text = node.textValue().toLowerCase();
    if (text.equals("true") || text.equals("t") || text.equals("1")) {
      return Boolean.TRUE;
    }
    if (text.equals("false") || text.equals("f") || text.equals("0")) {
      return Boolean.FALSE;
    }
    throw wrong(node, type);
  }
}
