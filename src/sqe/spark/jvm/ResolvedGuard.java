package sqe.jvm;

import java.util.ArrayDeque;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * The second look, after names have got their meaning and before anything runs: data come from Iceberg's tables, from
 * files that the rules allow, or from the statement itself, and nothing in the plan runs code that came along.
 */
final class ResolvedGuard extends AbstractFunction1 {
  private static final String[] TABLES = {"org.apache.iceberg.spark."};
  private static final String[] EXPRESSIONS = {"org.apache.spark.sql.", "org.apache.iceberg.", "sqe.jvm."};

  public Object apply(Object plan) {
    check((LogicalPlan) plan, GuardRules.get());
    return BoxedUnit.UNIT;
  }

  private static void check(LogicalPlan root, GuardRules rules) {
    ArrayDeque open = new ArrayDeque();
    open.push(root);
    while (!open.isEmpty()) {
      Object item = open.pop();
      if (item instanceof QueryPlan) {
        QueryPlan plan = (QueryPlan) item;
        if (plan.children().isEmpty() && plan instanceof LogicalPlan) {
          leaf((LogicalPlan) plan, rules);
        }
        push(open, plan.children());
        push(open, plan.innerChildren());
        push(open, plan.expressions());
      } else if (item instanceof Expression) {
        Expression expression = (Expression) item;
        expression(expression, rules);
        if (expression instanceof PlanExpression) {
          open.push(((PlanExpression) expression).plan());
        }
        push(open, expression.children());
      }
    }
  }

  private static void push(ArrayDeque open, Seq items) {
    for (Iterator all = items.iterator(); all.hasNext(); ) {
      open.push(all.next());
    }
  }

  private static void leaf(LogicalPlan leaf, GuardRules rules) {
    if (leaf instanceof DataSourceV2Relation) {
      table(((DataSourceV2Relation) leaf).table(), leaf);
    } else if (leaf instanceof LogicalRelation) {
      files((LogicalRelation) leaf);
    } else if (!(leaf instanceof Command)) {
      String name = leaf.getClass().getName();
      String simple = PlanGuard.simple(name);
      // Names of commands that have got their meaning; no data are behind them.
      boolean isName = name.startsWith("org.apache.spark.sql.catalyst.analysis.");
      if (!isName && !rules.leaves.contains(simple)) {
        throw PlanGuard.refusal(rules.words(simple) + " is not offered", leaf);
      }
    }
  }

  private static void table(Table table, LogicalPlan leaf) {
    Table inner = table instanceof RowLevelOperationTable ? ((RowLevelOperationTable) table).table() : table;
    if (!PlanGuard.startsWith(inner.getClass().getName(), TABLES)) {
      throw PlanGuard.refusal("the table " + table.name() + " is none of Iceberg's", leaf);
    }
  }

  /** Files are read by functions of ours, which ask the rules and leave a mark. */
  private static void files(LogicalRelation leaf) {
    if (leaf.relation() instanceof HadoopFsRelation) {
      HadoopFsRelation files = (HadoopFsRelation) leaf.relation();
      // Delta's jars are loaded by its reader alone, and no statement can name that kind of table.
      if (files.options().contains(RemoteFiles.ACCESS)
          || files.options().contains(LocalTables.UPLOAD)
          || files.location().getClass().getName().startsWith("org.apache.spark.sql.delta.")) {
        return;
      }
    }
    throw PlanGuard.refusal("a path is no name of a table\nread_parquet('…') and the like read files", leaf);
  }

  private static void expression(Expression expression, GuardRules rules) {
    String name = expression.getClass().getName();
    String simple = PlanGuard.simple(name);
    if (!PlanGuard.startsWith(name, EXPRESSIONS) || rules.expressions.contains(simple)) {
      throw PlanGuard.refusal(rules.words(simple) + " is not offered", expression);
    }
  }
}
