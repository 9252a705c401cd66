package sqe.jvm;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.catalog.functions.AggregateFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;

/**
 * A histogram of (number of buckets, value, weight) that makes one pass, after Ben-Haim and Tom-Tov: values are buckets
 * until there are too many, then the two neighbours are joined that lose the least by it.
 */
public final class NumericHistogram implements AggregateFunction {
  /** So many values more than buckets are gathered before buckets are joined. */
  private static final int MORE = 100;
  private static final int MOST = 100000;

  public DataType[] inputTypes() {
    return new DataType[] {DataTypes.LongType, DataTypes.DoubleType, DataTypes.DoubleType};
  }

  public DataType resultType() {
    return new MapType(DataTypes.DoubleType, DataTypes.DoubleType, false);
  }

  public String name() {
    return "numeric_histogram";
  }

  /** A state without room is one that has seen nothing. */
  public Serializable newAggregationState() {
    return new WeightedPoints(0);
  }

  public Serializable update(Serializable state, InternalRow row) {
    WeightedPoints points = (WeightedPoints) state;
    if (row.isNullAt(0) || row.isNullAt(1) || row.isNullAt(2)) {
      return points;
    }
    if (points.values.length == 0) {
      long buckets = row.getLong(0);
      if (buckets < 2 || buckets > MOST) {
        throw new BadValue("numeric_histogram takes between 2 and " + MOST + " buckets, not " + buckets);
      }
      points.resize((int) buckets + MORE);
    }
    add(points, row.getDouble(1), row.getDouble(2));
    return points;
  }

  public Serializable merge(Serializable one, Serializable other) {
    WeightedPoints points = (WeightedPoints) one;
    WeightedPoints more = (WeightedPoints) other;
    if (points.values.length == 0) {
      return more;
    }
    for (int i = 0; i < more.count; i++) {
      add(points, more.values[i], more.weights[i]);
    }
    return points;
  }

  private static void add(WeightedPoints points, double value, double weight) {
    if (points.isFull()) {
      compact(points);
    }
    points.add(value, weight);
  }

  private static void compact(WeightedPoints points) {
    points.unite();
    while (points.count > points.values.length - MORE) {
      points.join(cheapest(points));
    }
  }

  private static int cheapest(WeightedPoints points) {
    int found = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i + 1 < points.count; i++) {
      double distance = points.values[i] - points.values[i + 1];
      double weight = points.weights[i] + points.weights[i + 1];
      double loss = distance * distance * points.weights[i] * points.weights[i + 1] / weight;
      if (loss < least) {
        least = loss;
        found = i;
      }
    }
    return found;
  }

  public Object produceResult(Serializable state) {
    WeightedPoints points = (WeightedPoints) state;
    if (points.count == 0) {
      return null;
    }
    compact(points);
    return new ArrayBasedMapData(
        new GenericArrayData(java.util.Arrays.copyOf(points.values, points.count)),
        new GenericArrayData(java.util.Arrays.copyOf(points.weights, points.count)));
  }

  public boolean equals(Object other) {
    return other instanceof NumericHistogram;
  }

  public int hashCode() {
    return NumericHistogram.class.hashCode();
  }
}
