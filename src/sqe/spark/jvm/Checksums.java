package sqe.jvm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** What a checksum is the sum of: for each value its hash by XXH64, times a prime; all of it goes round in 64 bits. */
public final class Checksums {
  private static final long PRIME = 0x9E3779B185EBCA87L;
  private static final int ROW_START = 1;
  private static final int MIX = 31;

  private Checksums() {}

  public static long ofNull() {
    return PRIME;
  }

  public static long ofLong(long value) {
    return hash(value) * PRIME;
  }

  public static long ofBytes(byte[] value) {
    return hash(value) * PRIME;
  }

  /** Of the only field of a row, whatever its type is. */
  public static long of(InternalRow row, UTF8String types) {
    DataType type = ((StructType) Formats.type(types.toString())).fields()[0].dataType();
    return row.isNullAt(0) ? PRIME : hash(row.get(0, type), type) * PRIME;
  }

  /** The sum, with its lowest byte first. */
  public static byte[] bytes(long sum) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(sum).array();
  }

  private static long hash(long value) {
    return XXH64.hashLong(value, 0);
  }

  private static long hash(byte[] value) {
    return XXH64.hashUnsafeBytes(value, Platform.BYTE_ARRAY_OFFSET, value.length, 0);
  }

  private static long hash(Object value, DataType type) {
    if (value == null) {
      return 0;
    }
    if (type instanceof StringType) {
      return hash(((UTF8String) value).getBytes());
    }
    if (type instanceof BinaryType) {
      return hash((byte[]) value);
    }
    if (type instanceof BooleanType) {
      return hash(((Boolean) value).booleanValue() ? 1L : 0L);
    }
    if (value instanceof Double) {
      double number = ((Double) value).doubleValue();
      return hash(Double.doubleToLongBits(number == 0 ? 0 : number));
    }
    if (value instanceof Float) {
      float number = ((Float) value).floatValue();
      return hash((long) Float.floatToIntBits(number == 0 ? 0 : number));
    }
    if (value instanceof Decimal) {
      return ofDecimal((Decimal) value);
    }
    return value instanceof Number ? ofMoment(((Number) value).longValue(), type) : ofNested(value, type);
  }

  /** Integers, and times in the units in which Trino counts them. */
  private static long ofMoment(long value, DataType type) {
    if (type instanceof TimestampType) {
      return hash(Math.floorDiv(value, 1000L)) ^ hash(Math.floorMod(value, 1000L) * 1000000L);
    }
    if (type instanceof TimeType) {
      return hash(value * 1000L);
    }
    return hash(type instanceof DayTimeIntervalType ? value / 1000L : value);
  }

  /** Up to 18 digits fit a long, more are two of them. */
  private static long ofDecimal(Decimal value) {
    java.math.BigInteger digits = value.toJavaBigDecimal().unscaledValue();
    return value.precision() <= 18
        ? hash(digits.longValue())
        : hash(digits.longValue()) ^ hash(digits.shiftRight(64).longValue());
  }

  private static long ofNested(Object value, DataType type) {
    long made = 0;
    if (type instanceof ArrayType) {
      DataType element = ((ArrayType) type).elementType();
      ArrayData array = (ArrayData) value;
      for (int i = 0; i < array.numElements(); i++) {
        made = MIX * made + hash(array.isNullAt(i) ? null : array.get(i, element), element);
      }
      return made;
    }
    if (type instanceof MapType) {
      DataType keyType = ((MapType) type).keyType();
      DataType valueType = ((MapType) type).valueType();
      ArrayData keys = ((MapData) value).keyArray();
      ArrayData values = ((MapData) value).valueArray();
      for (int i = 0; i < keys.numElements(); i++) {
        Object item = values.isNullAt(i) ? null : values.get(i, valueType);
        made += hash(keys.get(i, keyType), keyType) ^ hash(item, valueType);
      }
      return made;
    }
    if (!(type instanceof StructType)) {
      throw new BadValue("there is no checksum of values of type " + TypeNames.name(type));
    }
    InternalRow row = (InternalRow) value;
    made = ROW_START;
    for (int i = 0; i < row.numFields(); i++) {
      DataType field = ((StructType) type).fields()[i].dataType();
      made = MIX * made + hash(row.isNullAt(i) ? null : row.get(i, field), field);
    }
    return made;
  }
}
