package sqe.jvm;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.GlobalTempView$;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedTableSpec;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.command.CreateViewCommand;
import org.apache.spark.sql.execution.command.ResetCommand;
import org.apache.spark.sql.execution.command.SetCommand;
import org.apache.spark.sql.internal.SessionState;
import org.apache.spark.sql.types.DataType;
import scala.Option;
import scala.Product;
import scala.Tuple2;
import scala.collection.Iterable;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * Looks at what the parser made of a text, before anything is resolved: a CALL runs while it is analyzed. Nodes are
 * known by an allow list; whatever a node holds is looked at, also what Spark does not count as its children.
 */
final class PlanGuard {
  private static final String SPARK = "org.apache.spark.sql.";
  private static final String[] EXPRESSIONS = {SPARK + "catalyst.", SPARK + "connector.expressions."};

  private static final List PLACES =
      Arrays.asList(
          new String[] {
            "location", "write.data.path", "write.metadata.path", "write.folder-storage.path",
            "write.object-storage.path",
          });
  /** Spark's own note on the target of a write. */
  /** Options of a relation that do no harm: Spark's own mark of a write, and the snapshots that changes lie between. */
  private static final java.util.List HARMLESS =
      java.util.Arrays.asList(
          new Object[] {"__required_write_privileges__", "start-snapshot-id", "end-snapshot-id"});

  private final GuardRules rules = GuardRules.get();
  private final ArrayDeque open = new ArrayDeque();

  private PlanGuard() {}

  /** Throws unless everything in a parsed plan or expression is known and allowed. */
  static void check(TreeNode parsed) {
    new PlanGuard().walk(parsed);
  }

  private void walk(TreeNode parsed) {
    open.push(parsed);
    while (!open.isEmpty()) {
      Object item = open.pop();
      if (item instanceof TreeNode) {
        node((TreeNode) item);
      } else if (item instanceof Iterable) {
        push(((Iterable) item).iterator());
      } else if (item instanceof Tuple2) {
        property(((Tuple2) item)._1(), ((Tuple2) item)._2());
        push(((Product) item).productIterator());
      } else if (item instanceof Product) {
        push(((Product) item).productIterator());
      }
    }
  }

  private void push(Iterator items) {
    while (items.hasNext()) {
      Object item = items.next();
      // Types and texts hold nothing that runs.
      if (item != null && !(item instanceof DataType) && !(item instanceof String)) {
        open.push(item);
      }
    }
  }

  private void node(TreeNode node) {
    if (node instanceof LogicalPlan) {
      plan((LogicalPlan) node);
    } else if (node instanceof Expression) {
      expression((Expression) node);
    }
    // Rows and values that are there already are data.
    if (!(node instanceof LocalRelation) && !(node instanceof Literal)) {
      push(node.productIterator());
    }
  }

  private void plan(LogicalPlan plan) {
    String name = plan.getClass().getName();
    String simple = simple(name);
    if (!name.startsWith(SPARK) || !rules.nodes.contains(simple)) {
      throw refusal(rules.words(simple) + " is not offered", plan);
    }
    name(plan);
    if (plan instanceof UnresolvedRelation) {
      relation((UnresolvedRelation) plan);
    } else if (plan instanceof UnresolvedTableValuedFunction) {
      function(((UnresolvedTableValuedFunction) plan).name(), plan);
    } else if (plan instanceof SetCommand) {
      Option pair = ((SetCommand) plan).kv();
      setting(pair.isDefined() ? Option.apply(((Tuple2) pair.get())._1()) : pair, "SET", plan);
    } else if (plan instanceof ResetCommand) {
      setting(((ResetCommand) plan).config(), "RESET", plan);
    } else if (plan instanceof CreateViewCommand) {
      if (((CreateViewCommand) plan).viewType() == GlobalTempView$.MODULE$) {
        throw refusal("CREATE GLOBAL TEMPORARY VIEW is not offered", plan);
      }
    } else if (plan instanceof Call) {
      CallGuard.check((Call) plan, rules);
    }
  }

  private void expression(Expression expression) {
    String name = expression.getClass().getName();
    if (!startsWith(name, EXPRESSIONS) || rules.expressions.contains(simple(name))) {
      throw refusal(rules.words(simple(name)) + " is not offered", expression);
    }
    if (expression instanceof UnresolvedFunction) {
      function(((UnresolvedFunction) expression).nameParts(), expression);
    } else if (expression instanceof UnresolvedTableSpec) {
      Option provider = ((UnresolvedTableSpec) expression).provider();
      if (provider.isDefined() && !"iceberg".equalsIgnoreCase((String) provider.get())) {
        throw refusal("tables of the kind " + provider.get() + " are not offered\ntables are Iceberg's", expression);
      }
      Option location = ((UnresolvedTableSpec) expression).location();
      if (location.isDefined()) {
        place((String) location.get());
      }
    }
  }

  /** Spark's own catalog holds nothing of anybody's, and its tables are files. */
  private static void name(LogicalPlan plan) {
    Object first = plan.productArity() > 0 ? plan.productElement(0) : null;
    if (first instanceof Seq && !((Seq) first).isEmpty() && "spark_catalog".equals(lower(((Seq) first).head()))) {
      throw refusal("the catalog spark_catalog is not offered", plan);
    }
  }

  /** Properties of tables and schemas may say where files go, and what code is loaded. */
  static void property(Object key, Object value) {
    if (value instanceof String && GuardRules.get().namesClass(lower(key))) {
      throw new NotOffered("the property " + key + " is not offered\nit names a class to load");
    }
    if (value instanceof String && PLACES.contains(lower(key))) {
      place((String) value);
    }
  }

  private static void place(String place) {
    FileAccess.checkPlace((SparkSession) SparkSession.active(), place);
  }

  private static void relation(UnresolvedRelation relation) {
    if (relation.isStreaming()) {
      throw refusal("STREAM is not offered", relation);
    }
    for (java.util.Iterator keys = relation.options().keySet().iterator(); keys.hasNext(); ) {
      if (!HARMLESS.contains(keys.next())) {
        throw refusal("options of a table within a query are not offered", relation);
      }
    }
    Seq parts = relation.multipartIdentifier();
    String last = (String) parts.last();
    // `parquet.`/some/path`` and the like; a session's setting says the same, and a session's settings can be set.
    if (parts.size() == 2 && (last.indexOf('/') >= 0 || last.indexOf(':') >= 0)) {
      throw refusal("a path is no name of a table\nread_parquet('…') and the like read files", relation);
    }
  }

  private void function(Seq parts, TreeNode node) {
    String name = lower(parts.last());
    if (rules.functions.contains(name) || isOfSession(parts, name)) {
      // Functions of ours that are not for people have no name that people know.
      throw refusal((name.startsWith("sqe_") ? "this function" : "the function " + name) + " is not offered", node);
    }
  }

  /** Functions that somebody has registered with the session; there is no way to do so but around this guard. */
  private static boolean isOfSession(Seq parts, String name) {
    if (parts.size() > 1) {
      return "session".equals(lower(parts.apply(parts.size() - 2)));
    }
    FunctionIdentifier function = new FunctionIdentifier(name);
    if (FunctionRegistry$.MODULE$.builtin().functionExists(function)
        || TableFunctionRegistry$.MODULE$.builtin().functionExists(function)) {
      return false;
    }
    SessionState state = ((SparkSession) SparkSession.active()).sessionState();
    return state.functionRegistry().functionExists(function)
        || state.tableFunctionRegistry().functionExists(function);
  }

  private void setting(Option key, String verb, LogicalPlan plan) {
    if (!key.isDefined() || !rules.settings.contains(key.get())) {
      String what = key.isDefined() ? " of this setting" : " of everything";
      throw refusal(verb + what + " is not offered\nSHOW SESSION lists the settings that there are", plan);
    }
  }

  private static String lower(Object name) {
    return name instanceof String ? ((String) name).toLowerCase(Locale.ROOT) : "";
  }

  static boolean startsWith(String name, String[] beginnings) {
    for (int i = 0; i < beginnings.length; i++) {
      if (name.startsWith(beginnings[i])) {
        return true;
      }
    }
    return false;
  }

  static String simple(String name) {
    String last = name.substring(name.lastIndexOf('.') + 1);
    return last.endsWith("$") ? last.substring(0, last.length() - 1) : last;
  }

  static RuntimeException refusal(String text, TreeNode node) {
    return at(node, text, false);
  }

  static RuntimeException denial(String text, TreeNode node) {
    return at(node, text, true);
  }

  /** The error at the place of a node, unless that is a place in the text of a view. */
  private static RuntimeException at(TreeNode node, String text, boolean denied) {
    Origin before = CurrentOrigin.get();
    if (node.origin().objectType().isDefined()) {
      CurrentOrigin.reset();
    } else {
      CurrentOrigin.set(node.origin());
    }
    try {
      return denied ? (RuntimeException) new NotAllowed(text) : new NotOffered(text);
    } finally {
      CurrentOrigin.set(before);
    }
  }
}
