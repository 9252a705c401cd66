package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.FloatType;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * A number in the type that Trino gives it: sums and means of reals are reals, those of decimals and rounded decimals
 * have other digits than in Spark. What has the right type already stays as it is.
 */
final class Reshaped extends AbstractFunction1 {
  private static final int MOST_DIGITS = 38;
  /** So many digits Spark adds to a mean, as long as there is room for them. */
  private static final int MORE = 4;

  private final String task;

  Reshaped(String task) {
    this.task = task;
  }

  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    String wanted = wanted(arguments);
    return wanted == null ? arguments[0] : TypedFunction.filled("CAST($1 AS " + wanted + ")", arguments);
  }

  private String wanted(Expression[] arguments) {
    DataType type = arguments[0].dataType();
    if (arguments.length == 1 && isOfReals(arguments[0])) {
      return "FLOAT";
    }
    if (!(type instanceof DecimalType)) {
      return null;
    }
    DecimalType own = (DecimalType) type;
    if (task.equals("summed")) {
      return decimal(MOST_DIGITS, own.scale());
    }
    if (task.equals("averaged")) {
      return decimal(own.precision() == MOST_DIGITS ? MOST_DIGITS : own.precision() - MORE, own.scale() - MORE);
    }
    DecimalType before = (DecimalType) arguments[1].dataType();
    int whole = before.precision() - before.scale();
    if (task.equals("truncated")) {
      return decimal(whole, 0);
    }
    return arguments.length == 2
        ? decimal(whole + Math.min(1, before.scale()), 0)
        : decimal(before.precision() + 1, before.scale());
  }

  private static String decimal(int precision, int scale) {
    int digits = Math.max(1, Math.min(MOST_DIGITS, precision));
    return "DECIMAL(" + digits + ", " + Math.max(0, scale) + ")";
  }

  private static boolean isOfReals(Expression answer) {
    Expression inner = answer instanceof WindowExpression ? ((WindowExpression) answer).windowFunction() : answer;
    if (!(inner instanceof AggregateExpression)) {
      return false;
    }
    Seq inputs = ((AggregateExpression) inner).aggregateFunction().children();
    return ((Expression) inputs.head()).dataType() instanceof FloatType;
  }
}
