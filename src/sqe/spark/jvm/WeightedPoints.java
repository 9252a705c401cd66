package sqe.jvm;

import java.io.Serializable;
import java.util.Comparator;

/** Numbers with weights, of which so many are kept; who adds more must have made room before. */
final class WeightedPoints implements Serializable {
  double[] values;
  double[] weights;
  int count;
  /** What was asked for: fractions of a percentile. */
  double[] fractions;

  WeightedPoints(int room) {
    resize(room);
  }

  void resize(int room) {
    values = count == 0 ? new double[room] : java.util.Arrays.copyOf(values, room);
    weights = count == 0 ? new double[room] : java.util.Arrays.copyOf(weights, room);
  }

  boolean isFull() {
    return count == values.length;
  }

  void add(double value, double weight) {
    values[count] = value;
    weights[count] = weight;
    count++;
  }

  double total() {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += weights[i];
    }
    return sum;
  }

  /** In order of their values, each of them once. */
  void unite() {
    double[][] points = new double[count][];
    for (int i = 0; i < count; i++) {
      points[i] = new double[] {values[i], weights[i]};
    }
    java.util.Arrays.sort(points, new Comparator() {
      public int compare(Object a, Object b) {
        return Double.compare(((double[]) a)[0], ((double[]) b)[0]);
      }
    });
    count = 0;
    for (int i = 0; i < points.length; i++) {
      if (count > 0 && values[count - 1] == points[i][0]) {
        weights[count - 1] += points[i][1];
      } else {
        add(points[i][0], points[i][1]);
      }
    }
  }

  /** A point and the one after it become one. */
  void join(int place) {
    double weight = weights[place] + weights[place + 1];
    values[place] = (values[place] * weights[place] + values[place + 1] * weights[place + 1]) / weight;
    weights[place] = weight;
    count--;
    System.arraycopy(values, place + 2, values, place + 1, count - place - 1);
    System.arraycopy(weights, place + 2, weights, place + 1, count - place - 1);
  }
}
