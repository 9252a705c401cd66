package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DecimalType;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** An average of decimals in the type of its input: Spark adds four digits, as long as there is room for them. */
final class DecimalMean extends AbstractFunction1 {
  private static final int MORE = 4;

  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    DecimalType type = (DecimalType) arguments[0].dataType();
    int scale = Math.max(0, type.scale() - MORE);
    int precision = type.precision() == 38 ? 38 : Math.max(1, type.precision() - MORE);
    return TypedFunction.filled("CAST($1 AS DECIMAL(" + precision + ", " + scale + "))", arguments);
  }
}
