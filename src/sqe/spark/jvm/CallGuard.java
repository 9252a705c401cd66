package sqe.jvm;

import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.UnresolvedProcedure;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import scala.collection.immutable.Seq;

/** Procedures: only those that are known, and paths of files only where the statement was permitted to name them. */
final class CallGuard {
  private CallGuard() {}

  static void check(Call call, GuardRules rules) {
    Seq parts = ((UnresolvedProcedure) call.procedure()).nameParts();
    String name = ((String) parts.last()).toLowerCase(Locale.ROOT);
    if (!rules.procedures.contains(name) && !rules.pathProcedures.contains(name)) {
      throw PlanGuard.refusal("the procedure " + name + " is not offered", call);
    }
    if (Permissions.has(name)) {
      return;
    }
    if (!rules.procedures.contains(name)) {
      throw denial(name, "", call);
    }
    Map paths = rules.pathArguments(name);
    if (paths != null) {
      checkArguments(call, name, paths);
    }
  }

  private static void checkArguments(Call call, String name, Map paths) {
    for (int i = 0; i < call.args().size(); i++) {
      Expression argument = (Expression) call.args().apply(i);
      String path = argument instanceof NamedArgumentExpression
          ? known(((NamedArgumentExpression) argument).key(), paths)
          : numbered(i, paths);
      if (path != null && !isNull(argument)) {
        throw denial(name, " with " + path, call);
      }
    }
  }

  private static String known(String key, Map paths) {
    String lower = key.toLowerCase(Locale.ROOT);
    return paths.containsKey(lower) ? lower : null;
  }

  private static String numbered(int number, Map paths) {
    for (Iterator entries = paths.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      if (((Number) entry.getValue()).intValue() == number) {
        return (String) entry.getKey();
      }
    }
    return null;
  }

  private static boolean isNull(Expression argument) {
    return argument instanceof Literal && ((Literal) argument).value() == null;
  }

  private static RuntimeException denial(String name, String with, Call call) {
    return PlanGuard.denial(
        "the procedure " + name + with + " is for admins\nquery.admin_procedures lists what they may call", call);
  }
}
