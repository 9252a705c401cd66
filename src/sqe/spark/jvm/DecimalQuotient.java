package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.DecimalType;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** The quotient of two decimals: as many digits behind the point as the longer of them has, rounded once. */
final class DecimalQuotient extends AbstractFunction1 {
  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    DecimalType a = (DecimalType) arguments[0].dataType();
    DecimalType b = (DecimalType) arguments[1].dataType();
    int scale = Math.max(a.scale(), b.scale());
    int precision = Math.min(38, a.precision() + b.scale() + Math.max(b.scale() - a.scale(), 0));
    Object[] inputs =
        new Object[] {
          arguments[0],
          arguments[1],
          Literal$.MODULE$.apply(Integer.valueOf(precision)),
          Literal$.MODULE$.apply(Integer.valueOf(scale))
        };
    return new StaticInvoke(
        Arithmetic.class, new DecimalType(precision, scale), "divide", JavaCall.sequence(inputs), Nil$.MODULE$, true,
        true, true, Option.empty());
  }
}
