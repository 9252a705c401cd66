package sqe.jvm;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionDef;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionId;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionRef;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SupportQueryContext;
import org.apache.spark.sql.catalyst.expressions.UnresolvedNamedLambdaVariable;
import org.apache.spark.sql.catalyst.expressions.With;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractPartialFunction;

/**
 * A function that is an expression of Spark's, chosen by the kinds of its arguments. Spark calls it when it resolves a
 * call, and goes on to resolve what it answers; so nothing of it is left in the plan but expressions that Spark knows.
 */
final class TypedFunction extends AbstractFunction1 {
  private static final Field ORIGIN = originField();

  private final String name;
  private final List kinds = new ArrayList();
  private final List templates = new ArrayList();

  TypedFunction(String name, Map variants) {
    this.name = name;
    for (java.util.Iterator entries = variants.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      String key = ((String) entry.getKey()).trim();
      kinds.add(key.length() == 0 ? new String[0] : key.split("\\s*,\\s*"));
      templates.add(entry.getValue());
    }
  }

  public Object apply(Object children) {
    Expression[] arguments = array((Seq) children);
    for (int i = 0; i < kinds.size(); i++) {
      if (takes((String[]) kinds.get(i), arguments)) {
        return filled((String) templates.get(i), arguments);
      }
    }
    if (name.equals("_condition")) {
      throw new WrongArguments("a condition must evaluate to a boolean: it is " + describe(arguments));
    }
    String who = name.startsWith("_to_") ? "this cast" : "the function " + name;
    throw new WrongArguments(who + " does not take (" + describe(arguments) + "); it takes " + signatures());
  }

  static Expression[] array(Seq children) {
    Expression[] arguments = new Expression[children.size()];
    int at = 0;
    for (Iterator iterator = children.iterator(); iterator.hasNext(); at++) {
      arguments[at] = (Expression) iterator.next();
    }
    return arguments;
  }

  private static boolean takes(String[] wanted, Expression[] arguments) {
    boolean open = wanted.length > 0 && wanted[wanted.length - 1].endsWith("...");
    if (open ? arguments.length < wanted.length - 1 : arguments.length != wanted.length) {
      return false;
    }
    for (int i = 0; i < arguments.length; i++) {
      String kind = wanted[Math.min(i, wanted.length - 1)];
      if (!Kinds.matches(kind.endsWith("...") ? kind.substring(0, kind.length() - 3) : kind, arguments[i])) {
        return false;
      }
    }
    return true;
  }

  private String describe(Expression[] arguments) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < arguments.length; i++) {
      text.append(i == 0 ? "" : ", ").append(Kinds.nameOf(arguments[i].dataType()));
    }
    return text.toString();
  }

  private String signatures() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < kinds.size(); i++) {
      text.append(i == 0 ? "(" : " or (").append(String.join(", ", (String[]) kinds.get(i))).append(")");
    }
    return text.toString();
  }

  /** The template with the arguments in it, standing where the call stands. */
  static Expression filled(String template, Expression[] arguments) {
    Origin here = CurrentOrigin.get();
    String whole = unfolded(template, arguments.length);
    String quoted = whole.replaceAll("\\$([0-9]+)", "`\\$$1`");
    Expression parsed = (Expression) CatalystSqlParser$.MODULE$.parseExpression(quoted);
    CurrentOrigin.set(here);
    moveTo(parsed, here);
    List definitions = new ArrayList();
    Expression[] fillings = shared(whole, arguments, definitions);
    Expression made = (Expression) parsed.transformUp(new Filling(fillings));
    if (definitions.isEmpty()) {
      return made;
    }
    return new With(made, (Seq) scala.jdk.javaapi.CollectionConverters.asScala(definitions).toSeq());
  }

  /** `$*`: all arguments; `$null`: whether one of them is NULL; `$fields`: all, each after a name of a field. */
  private static String unfolded(String template, int count) {
    StringBuilder all = new StringBuilder();
    StringBuilder nulls = new StringBuilder();
    StringBuilder fields = new StringBuilder();
    for (int i = 1; i <= count; i++) {
      all.append(i == 1 ? "" : ", ").append("$").append(i);
      nulls.append(i == 1 ? "" : " OR ").append("$").append(i).append(" IS NULL");
      fields.append(i == 1 ? "'" : ", '").append("field").append(i - 1).append("', $").append(i);
    }
    String unfolded = template.replace("$*", all.toString()).replace("$null", "(" + nulls + ")");
    return unfolded.replace("$fields", fields.toString());
  }

  /** An argument that changes with each look at it is looked at once, however often the template names it. */
  private static Expression[] shared(String template, Expression[] arguments, List definitions) {
    Expression[] fillings = new Expression[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      String hole = "$" + (i + 1);
      boolean twice = template.indexOf(hole) != template.lastIndexOf(hole);
      if (twice) {
        TooDeep.refuse(arguments[i]);
      }
      if (twice && !arguments[i].deterministic()) {
        CommonExpressionDef definition =
            new CommonExpressionDef(arguments[i], new CommonExpressionId(CommonExpressionId.newId(), false));
        definitions.add(definition);
        fillings[i] = new CommonExpressionRef(definition);
      } else {
        fillings[i] = arguments[i];
      }
    }
    return fillings;
  }

  private static void moveTo(TreeNode node, Origin origin) {
    try {
      ORIGIN.set(node, origin);
      if (node instanceof SupportQueryContext) {
        // Taken from the origin when the node was made; errors at run time point there.
        ((SupportQueryContext) node).queryContext_$eq(Option.apply(origin.context()));
      }
    } catch (IllegalAccessException impossible) {
      throw new IllegalStateException(impossible);
    }
    for (Iterator children = node.children().iterator(); children.hasNext(); ) {
      moveTo((TreeNode) children.next(), origin);
    }
  }

  private static Field originField() {
    try {
      Field field = TreeNode.class.getDeclaredField("origin");
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static final class Filling extends AbstractPartialFunction {
    private final Expression[] arguments;

    Filling(Expression[] arguments) {
      this.arguments = arguments;
    }

    public boolean isDefinedAt(Object node) {
      return numberOf(node) >= 0;
    }

    public Object applyOrElse(Object node, Function1 otherwise) {
      int number = numberOf(node);
      return number < 0 ? otherwise.apply(node) : arguments[number];
    }

    private int numberOf(Object node) {
      Seq parts;
      if (node instanceof UnresolvedAttribute) {
        parts = ((UnresolvedAttribute) node).nameParts();
      } else if (node instanceof UnresolvedNamedLambdaVariable) {
        // So the parser calls every name within a lambda.
        parts = ((UnresolvedNamedLambdaVariable) node).nameParts();
      } else {
        return -1;
      }
      String hole = (String) parts.head();
      return hole.startsWith("$") ? Integer.parseInt(hole.substring(1)) - 1 : -1;
    }
  }
}
