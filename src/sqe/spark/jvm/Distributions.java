package sqe.jvm;

import org.apache.commons.math3.distribution.BetaDistribution;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.special.Erf;

/** Probability distributions, and the interval of Wilson. */
public final class Distributions {
  private Distributions() {}

  private static void check(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }

  public static double beta(double a, double b, double value) {
    check(a > 0 && b > 0, "a and b must be greater than 0");
    check(value >= 0 && value <= 1, "value must be in the interval [0, 1]");
    return new BetaDistribution(null, a, b, BetaDistribution.DEFAULT_INVERSE_ABSOLUTE_ACCURACY)
        .cumulativeProbability(value);
  }

  public static double inverseBeta(double a, double b, double chance) {
    check(a > 0 && b > 0, "a and b must be greater than 0");
    check(chance >= 0 && chance <= 1, "p must be in the interval [0, 1]");
    return new BetaDistribution(null, a, b, BetaDistribution.DEFAULT_INVERSE_ABSOLUTE_ACCURACY)
        .inverseCumulativeProbability(chance);
  }

  public static double normal(double mean, double deviation, double value) {
    check(deviation > 0, "standardDeviation must be greater than 0");
    return new NormalDistribution(null, mean, deviation).cumulativeProbability(value);
  }

  public static double inverseNormal(double mean, double deviation, double chance) {
    check(chance > 0 && chance < 1, "p must be greater than 0 and less than 1");
    check(deviation > 0, "standardDeviation must be greater than 0");
    return mean + deviation * 1.4142135623730951 * Erf.erfInv(2 * chance - 1);
  }

  public static double student(double value, double freedom) {
    check(freedom > 0, "df must be greater than 0");
    return new TDistribution(null, freedom).cumulativeProbability(value);
  }

  public static double studentDensity(double value, double freedom) {
    check(freedom > 0, "df must be greater than 0");
    return new TDistribution(null, freedom).density(value);
  }

  public static double wilsonLower(long hits, long trials, double z) {
    return wilson(hits, trials, z, -1);
  }

  public static double wilsonUpper(long hits, long trials, double z) {
    return wilson(hits, trials, z, 1);
  }

  private static double wilson(long hits, long trials, double z, int side) {
    check(hits >= 0, "number of successes must not be negative");
    check(trials > 0, "number of trials must be positive");
    check(hits <= trials, "number of successes must not be larger than number of trials");
    check(z >= 0, "z-score must not be negative");
    double n = trials;
    double p = hits / n;
    double middle = p + z * z / (2 * n);
    double reach = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return (middle + side * reach) / (1 + z * z / n);
  }
}
