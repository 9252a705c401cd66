package sqe.jvm;

import java.util.HashMap;
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
    permit(call, name, rules);
    if (name.equals(OrphanPlaces.PROCEDURE)) {
      OrphanPlaces.check(call, named(call, rules.pathArguments(name)));
    }
  }

  private static void permit(Call call, String name, GuardRules rules) {
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
    Map given = named(call, paths);
    for (Iterator keys = paths.keySet().iterator(); keys.hasNext(); ) {
      Object path = keys.next();
      if (!"table".equals(path) && isGiven(given.get(path))) {
        throw denial(name, " with " + path, call);
      }
    }
  }

  /** Those arguments whose numbers are known, by their names. */
  private static Map named(Call call, Map numbers) {
    Map found = new HashMap();
    for (int i = 0; i < call.args().size(); i++) {
      Expression argument = (Expression) call.args().apply(i);
      String name = argument instanceof NamedArgumentExpression
          ? known(((NamedArgumentExpression) argument).key(), numbers)
          : numbered(i, numbers);
      if (name != null && found.put(name, argument) != null) {
        throw PlanGuard.refusal("the argument " + name + " is there twice", call);
      }
    }
    return found;
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

  static Expression valueOf(Expression argument) {
    return argument instanceof NamedArgumentExpression ? ((NamedArgumentExpression) argument).value() : argument;
  }

  static boolean isGiven(Object argument) {
    if (argument == null) {
      return false;
    }
    Expression value = valueOf((Expression) argument);
    return !(value instanceof Literal && ((Literal) value).value() == null);
  }

  private static RuntimeException denial(String name, String with, Call call) {
    return PlanGuard.denial(
        "the procedure " + name + with + " is for admins\nquery.admin_procedures lists what they may call", call);
  }
}
