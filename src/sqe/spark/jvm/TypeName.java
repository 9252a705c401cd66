package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** `typeof(x)`: the type of an expression in Trino's words. */
final class TypeName extends AbstractFunction1 {
  public Object apply(Object children) {
    String name = TypeNames.name(TextLengths.typeOf((Expression) ((Seq) children).head()));
    return new Literal(UTF8String.fromString(name), StringType$.MODULE$);
  }
}
