package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.TryEval;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** `TRY(x)`: NULL where x fails. */
final class Attempt extends AbstractFunction1 {
  public Object apply(Object children) {
    Seq arguments = (Seq) children;
    if (arguments.size() != 1) {
      throw new WrongArguments("TRY takes one expression");
    }
    return new TryEval((Expression) arguments.head());
  }
}
