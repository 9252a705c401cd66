package sqe.jvm;

import java.util.Comparator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.ByteArray;
import org.apache.spark.unsafe.types.UTF8String;

/** Comparisons of arrays and rows in which a NULL leaves open how they end; Spark takes it for a value of its own. */
public final class Nested {
  private Nested() {}

  /** Whether the last element of an array is among those before it. */
  public static Boolean containsLast(ArrayData array, UTF8String types) {
    DataType type = ((ArrayType) Formats.type(types.toString())).elementType();
    int last = array.numElements() - 1;
    Object wanted = array.get(last, type);
    boolean hasNull = false;
    for (int i = 0; i < last; i++) {
      if (array.isNullAt(i)) {
        hasNull = true;
        continue;
      }
      Boolean same = equal(array.get(i, type), wanted, type);
      if (same == null) {
        throw new BadValue("contains does not support arrays with elements that contain NULL");
      }
      if (same.booleanValue()) {
        return Boolean.TRUE;
      }
    }
    return hasNull ? null : Boolean.FALSE;
  }

  /** In rising order, with elements that are NULL at the end. */
  public static ArrayData sorted(ArrayData array, UTF8String types) {
    final DataType type = ((ArrayType) Formats.type(types.toString())).elementType();
    Object[] elements = new Object[array.numElements()];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = array.isNullAt(i) ? null : InternalRow.copyValue(array.get(i, type));
    }
    java.util.Arrays.sort(elements, new Comparator() {
      public int compare(Object a, Object b) {
        return a == null || b == null ? (a == null ? 1 : 0) - (b == null ? 1 : 0) : ordered(a, b, type);
      }
    });
    return new GenericArrayData(elements);
  }

  private static Boolean equal(Object a, Object b, DataType type) {
    if (!isNested(type)) {
      return Boolean.valueOf(plain(a, b) == 0);
    }
    if (size(a) != size(b)) {
      return Boolean.FALSE;
    }
    Boolean found = Boolean.TRUE;
    for (int i = 0; i < size(a); i++) {
      Object one = part(a, i, type);
      Object other = part(b, i, type);
      Boolean same = one == null || other == null ? null : equal(one, other, partType(type, i));
      if (same == null) {
        found = null;
      } else if (!same.booleanValue()) {
        return Boolean.FALSE;
      }
    }
    return found;
  }

  private static int ordered(Object a, Object b, DataType type) {
    if (!isNested(type)) {
      return plain(a, b);
    }
    for (int i = 0; i < Math.min(size(a), size(b)); i++) {
      Object one = part(a, i, type);
      Object other = part(b, i, type);
      if (one == null || other == null) {
        throw new BadValue("arrays and rows with NULL in them have no order");
      }
      int order = ordered(one, other, partType(type, i));
      if (order != 0) {
        return order;
      }
    }
    return size(a) - size(b);
  }

  private static boolean isNested(DataType type) {
    return type instanceof ArrayType || type instanceof StructType;
  }

  private static int size(Object value) {
    return value instanceof ArrayData ? ((ArrayData) value).numElements() : ((InternalRow) value).numFields();
  }

  private static DataType partType(DataType type, int number) {
    return type instanceof ArrayType
        ? ((ArrayType) type).elementType()
        : ((StructType) type).fields()[number].dataType();
  }

  private static Object part(Object value, int number, DataType type) {
    DataType inner = partType(type, number);
    if (value instanceof ArrayData) {
      return ((ArrayData) value).isNullAt(number) ? null : ((ArrayData) value).get(number, inner);
    }
    return ((InternalRow) value).isNullAt(number) ? null : ((InternalRow) value).get(number, inner);
  }

  private static int plain(Object a, Object b) {
    if (a instanceof byte[]) {
      return ByteArray.compareBinary((byte[]) a, (byte[]) b);
    }
    if (!(a instanceof Comparable)) {
      throw new BadValue("arrays and rows with maps in them cannot be compared");
    }
    return ((Comparable) a).compareTo(b);
  }
}
