package sqe.jvm;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.catalog.functions.AggregateFunction;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Percentiles of (value, weight, fractions), exact for up to 8,192 values in a group; of more, neighbours that together
 * weigh less than a thousandth are taken as one.
 */
public final class WeightedPercentile implements AggregateFunction {
  private static final int ROOM = 8192;
  private static final int PARTS = 1024;

  public DataType[] inputTypes() {
    return new DataType[] {DataTypes.DoubleType, DataTypes.DoubleType, new ArrayType(DataTypes.DoubleType, true)};
  }

  public DataType resultType() {
    return new ArrayType(DataTypes.DoubleType, true);
  }

  public String name() {
    return "approx_percentile";
  }

  public Serializable newAggregationState() {
    return new WeightedPoints(16);
  }

  public Serializable update(Serializable state, InternalRow row) {
    WeightedPoints points = (WeightedPoints) state;
    if (row.isNullAt(0) || row.isNullAt(1) || row.isNullAt(2)) {
      return points;
    }
    if (!(row.getDouble(1) > 0)) {
      throw new BadValue("the weight of a percentile must be greater than 0, not " + row.getDouble(1));
    }
    points.fractions = row.getArray(2).toDoubleArray();
    add(points, row.getDouble(0), row.getDouble(1));
    return points;
  }

  public Serializable merge(Serializable one, Serializable other) {
    WeightedPoints points = (WeightedPoints) one;
    WeightedPoints more = (WeightedPoints) other;
    points.fractions = points.fractions == null ? more.fractions : points.fractions;
    for (int i = 0; i < more.count; i++) {
      add(points, more.values[i], more.weights[i]);
    }
    return points;
  }

  private static void add(WeightedPoints points, double value, double weight) {
    if (points.isFull() && points.count < ROOM) {
      points.resize(points.count * 2);
    } else if (points.isFull()) {
      points.unite();
      thin(points);
    }
    points.add(value, weight);
  }

  private static void thin(WeightedPoints points) {
    double most = points.total() / PARTS;
    int last = 0;
    for (int i = 1; i < points.count; i++) {
      double weight = points.weights[last] + points.weights[i];
      if (weight <= most) {
        double sum = points.values[last] * points.weights[last] + points.values[i] * points.weights[i];
        points.values[last] = sum / weight;
        points.weights[last] = weight;
      } else {
        last++;
        points.values[last] = points.values[i];
        points.weights[last] = points.weights[i];
      }
    }
    points.count = last + 1;
  }

  public Object produceResult(Serializable state) {
    WeightedPoints points = (WeightedPoints) state;
    if (points.count == 0) {
      return null;
    }
    points.unite();
    double total = points.total();
    double[] found = new double[points.fractions.length];
    for (int i = 0; i < found.length; i++) {
      found[i] = at(points, points.fractions[i] * total);
    }
    return new GenericArrayData(found);
  }

  /** The first value below which, with its own, there is more weight than that. */
  private static double at(WeightedPoints points, double weight) {
    double before = 0;
    for (int i = 0; i < points.count; i++) {
      before += points.weights[i];
      if (before > weight) {
        return points.values[i];
      }
    }
    return points.values[points.count - 1];
  }

  public boolean equals(Object other) {
    return other instanceof WeightedPercentile;
  }

  public int hashCode() {
    return WeightedPercentile.class.hashCode();
  }
}
