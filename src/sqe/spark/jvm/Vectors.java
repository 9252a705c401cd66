package sqe.jvm;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;

/** Arrays of numbers, and maps from names to numbers, as vectors. */
public final class Vectors {
  private Vectors() {}

  private static int length(ArrayData a, ArrayData b) {
    if (a.numElements() != b.numElements()) {
      throw new IllegalArgumentException("both arrays must have the same length");
    }
    return a.numElements();
  }

  public static double dot(ArrayData a, ArrayData b) {
    int length = length(a, b);
    double sum = 0;
    for (int i = 0; i < length; i++) {
      sum += a.getDouble(i) * b.getDouble(i);
    }
    return sum;
  }

  public static double distance(ArrayData a, ArrayData b) {
    int length = length(a, b);
    double sum = 0;
    for (int i = 0; i < length; i++) {
      double apart = a.getDouble(i) - b.getDouble(i);
      sum += apart * apart;
    }
    return Math.sqrt(sum);
  }

  public static double cosine(ArrayData a, ArrayData b) {
    double lengths = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b));
    double product = dot(a, b);
    if (lengths == 0) {
      throw new IllegalArgumentException("vector magnitude cannot be zero");
    }
    return product / lengths;
  }

  public static Double cosine(MapData a, MapData b) {
    Map values = new HashMap();
    double squares = 0;
    for (int i = 0; i < a.numElements(); i++) {
      if (a.valueArray().isNullAt(i)) {
        return null;
      }
      double value = a.valueArray().getDouble(i);
      values.put(a.keyArray().getUTF8String(i), Double.valueOf(value));
      squares += value * value;
    }
    double product = 0;
    double others = 0;
    for (int i = 0; i < b.numElements(); i++) {
      if (b.valueArray().isNullAt(i)) {
        return null;
      }
      double value = b.valueArray().getDouble(i);
      Object same = values.get(b.keyArray().getUTF8String(i));
      product += same == null ? 0 : value * ((Double) same).doubleValue();
      others += value * value;
    }
    return Double.valueOf(product / (Math.sqrt(squares) * Math.sqrt(others)));
  }
}
