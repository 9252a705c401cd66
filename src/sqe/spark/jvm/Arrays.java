package sqe.jvm;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;

/** What functions of arrays check and count. */
public final class Arrays {
  private static final int MOST = 10000;
  private static final int MOST_COMBINED = 5;
  private static final int MOST_COMBINATIONS = 100000;

  private Arrays() {}

  public static int count(long times) {
    if (times < 0 || times > MOST) {
      throw new IllegalArgumentException("count must be between 0 and " + MOST + ", not " + times);
    }
    return (int) times;
  }

  /** Places in a subscript start at 1; from the end one counts with element_at only. */
  public static int index(long place) {
    if (place < 1) {
      throw new IllegalArgumentException("array subscript is zero or negative: " + place);
    }
    return (int) Math.min(place, Integer.MAX_VALUE);
  }

  /** What a comparison of two elements answers. */
  public static int ordering(long answer) {
    if (answer < -1 || answer > 1) {
      throw new IllegalArgumentException("the function of array_sort must answer -1, 0 or 1, not " + answer);
    }
    return (int) answer;
  }

  public static int nth(long place) {
    if (place < 1) {
      throw new IllegalArgumentException("the offset in nth_value must be at least 1, not " + place);
    }
    return (int) Math.min(place, Integer.MAX_VALUE);
  }

  /** The part, from 1, that a row is in when so many rows are dealt into parts; the first ones may be longer by one. */
  public static long tile(long parts, int row, long rows) {
    if (parts < 1) {
      throw new IllegalArgumentException("the number of buckets in ntile must be positive, not " + parts);
    }
    long size = rows / parts;
    long longer = rows % parts;
    long before = row - 1;
    return before < longer * (size + 1) ? before / (size + 1) + 1 : (before - longer) / size + 1;
  }

  public static ArrayData same(ArrayData array) {
    return array;
  }

  public static ArrayData nonEmpty(ArrayData array) {
    return array.numElements() == 0 ? null : array;
  }

  /** The keys of a map, when there are as many values. */
  public static ArrayData sameLength(ArrayData keys, ArrayData values) {
    if (keys.numElements() != values.numElements()) {
      throw new IllegalArgumentException("key and value arrays must be the same length");
    }
    return keys;
  }

  /** How many values an aggregate keeps. */
  public static int atMost(long count) {
    if (count <= 0) {
      throw new IllegalArgumentException("the number of values must be positive, not " + count);
    }
    return (int) Math.min(count, MOST);
  }

  /** A little more than what was asked for: of two values at a fraction, the greater one is meant. */
  public static double fraction(double asked) {
    if (asked < 0 || asked > 1) {
      throw new IllegalArgumentException("percentile must be between 0 and 1, not " + asked);
    }
    return Math.min(asked + 1e-9, 1);
  }

  /** Fractions as they are, if they are some. */
  public static ArrayData checked(ArrayData asked) {
    for (int i = 0; i < asked.numElements(); i++) {
      fraction(asked.getDouble(i));
    }
    return asked;
  }

  public static ArrayData fractions(ArrayData asked) {
    Object[] made = new Object[asked.numElements()];
    for (int i = 0; i < made.length; i++) {
      made[i] = Double.valueOf(fraction(asked.getDouble(i)));
    }
    return new GenericArrayData(made);
  }

  public static long step(long from, long to, long step) {
    if (step == 0 || (step > 0 ? to < from : to > from)) {
      throw new IllegalArgumentException("the step must not be zero, and must lead from start to stop");
    }
    if (Math.abs((to - from) / step) + 1 > MOST) {
      throw new IllegalArgumentException("a sequence has at most " + MOST + " entries");
    }
    return step;
  }

  /** The places, from 1, of all choices of so many out of `size`. */
  public static ArrayData combinations(int size, int chosen) {
    if (chosen < 0 || chosen > MOST_COMBINED) {
      throw new IllegalArgumentException("combination size must be between 0 and " + MOST_COMBINED);
    }
    List all = new ArrayList();
    collect(all, new Object[chosen], 0, 1, size);
    return new GenericArrayData(all.toArray());
  }

  private static void collect(List all, Object[] places, int filled, int from, int size) {
    if (filled == places.length) {
      if (all.size() == MOST_COMBINATIONS) {
        throw new IllegalArgumentException("combinations exceed max size");
      }
      all.add(new GenericArrayData((Object[]) places.clone()));
      return;
    }
    for (int place = from; place <= size; place++) {
      places[filled] = Integer.valueOf(place);
      collect(all, places, filled + 1, place + 1, size);
    }
  }
}
