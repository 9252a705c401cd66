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
 * expression of Spark's. NULL in gives NULL out, without a call. The type `LIKE 2` is that of the second argument.
 */
final class JavaCall extends AbstractFunction1 {
  public Object apply(Object children) {
    Seq arguments = (Seq) children;
    String method = text(arguments.apply(0));
    DataType type = type(text(arguments.apply(1)), arguments);
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

  private static DataType type(String text, Seq arguments) {
    if (!text.startsWith("LIKE ")) {
      return DataType.fromDDL(text);
    }
    return ((Expression) arguments.apply(Integer.parseInt(text.substring(5)) + 1)).dataType();
  }

  static Seq sequence(Object[] items) {
    return (Seq) scala.jdk.javaapi.CollectionConverters.asScala(java.util.Arrays.asList(items)).toSeq();
  }

  private static String text(Object argument) {
    return ((Expression) argument).eval(null).toString();
  }
}
