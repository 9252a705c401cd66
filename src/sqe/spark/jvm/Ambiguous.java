package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** `ambiguous('reverse')` in a template: NULL without a type, where the type decides what the function does. */
final class Ambiguous extends AbstractFunction1 {
  public Object apply(Object children) {
    String name = ((Expression) ((Seq) children).head()).eval(null).toString();
    throw new WrongArguments(
        "the function " + name + " needs a NULL of some type, for example CAST(NULL AS varchar)");
  }
}
