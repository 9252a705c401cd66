package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** `type_of(x)` in a template: the type of x in a form that Java methods can read, whatever its fields are called. */
final class TypeText extends AbstractFunction1 {
  public Object apply(Object children) {
    Expression value = (Expression) ((Seq) children).head();
    return new Literal(UTF8String.fromString(value.dataType().json()), StringType$.MODULE$);
  }
}
