package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NullType;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * `java('Texts.ofDouble', 'STRING', x)` in a template: a static method of ours, called from generated code like any
 * expression of Spark's. NULL in gives NULL out, without a call.
 */
final class JavaCall extends AbstractFunction1 {
  public Object apply(Object children) {
    Seq arguments = (Seq) children;
    String method = text(arguments.apply(0));
    DataType type = DataType.fromDDL(text(arguments.apply(1)));
    for (int i = 2; i < arguments.size(); i++) {
      // A method is found by the types of its arguments, and NULL alone has none.
      if (((Expression) arguments.apply(i)).dataType() instanceof NullType) {
        return new Literal(null, type);
      }
    }
    int dot = method.indexOf('.');
    try {
      Class owner = Class.forName("sqe.jvm." + method.substring(0, dot));
      return new StaticInvoke(
          owner, type, method.substring(dot + 1), (Seq) arguments.drop(2), Nil$.MODULE$, true, true, true,
          Option.empty());
    } catch (ClassNotFoundException unknown) {
      throw new IllegalStateException("no such class: " + method, unknown);
    }
  }

  private static String text(Object argument) {
    return ((Expression) argument).eval(null).toString();
  }
}
