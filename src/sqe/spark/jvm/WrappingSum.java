package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.EvalMode$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** A sum of longs that goes round where a long ends. */
final class WrappingSum extends AbstractFunction1 {
  public Object apply(Object children) {
    return new Sum((Expression) ((Seq) children).head(), new NumericEvalContext(EvalMode$.MODULE$.LEGACY(), false));
  }
}
