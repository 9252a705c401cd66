package sqe.jvm;

import java.util.List;
import org.apache.spark.sql.catalyst.CurrentUserContext$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType$;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * Who asks, as SQL sees them: `current_user` and the functions about roles. A view answers for whoever reads it, since
 * these are asked when a statement is analyzed.
 */
final class Invoker extends AbstractFunction1 {
  private final String what;

  Invoker(String what) {
    this.what = what;
  }

  /** From here on this thread works for the person of a session. */
  static void enter(SparkSession session) {
    String user = FileAccess.user(session);
    if (user != null) {
      CurrentUserContext$.MODULE$.CURRENT_USER().set(user);
    }
  }

  static void leave() {
    CurrentUserContext$.MODULE$.CURRENT_USER().remove();
  }

  public Object apply(Object children) {
    List roles = FileAccess.roles((SparkSession) SparkSession.getActiveSession().get());
    if ("has_role".equals(what)) {
      return hasRole((Seq) children, roles);
    }
    refuseArguments((Seq) children);
    if ("role".equals(what)) {
      Object first = roles.isEmpty() ? null : UTF8String.fromString((String) roles.get(0));
      return new Literal(first, StringType$.MODULE$);
    }
    Object[] texts = new Object[roles.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = UTF8String.fromString((String) roles.get(i));
    }
    Object array = new GenericArrayData(texts);
    return new Literal(array, new ArrayType(StringType$.MODULE$, false));
  }

  private static Literal hasRole(Seq children, List roles) {
    if (children.size() != 1 || !((Expression) children.head()).foldable()) {
      throw new WrongArguments("is_role_in_session takes the name of a role, a constant text");
    }
    Object role = ((Expression) children.head()).eval(null);
    Object answer = role == null ? null : Boolean.valueOf(roles.contains(role.toString()));
    return new Literal(answer, BooleanType$.MODULE$);
  }

  private static void refuseArguments(Seq children) {
    if (!children.isEmpty()) {
      throw new WrongArguments("this function takes no arguments");
    }
  }
}
