package sqe.jvm;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.arrow.ArrowConverters$;
import scala.Option;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction0;

/**
 * Results whose plan says that they are small: constants, rows that are on the driver already, totals, and LIMITs,
 * which Spark's own collect answers from as few partitions as it can instead of one task for every file.
 */
final class SmallResult {
  private static final int ROWS_PER_BATCH = 8192;

  private SmallResult() {}

  static boolean isSmall(Dataset frame, int mostRows) {
    LogicalPlan optimized = frame.queryExecution().optimizedPlan();
    if (optimized instanceof LocalRelation) {
      // Its rows are here, however many; a job would only carry them around.
      return true;
    }
    Option most = optimized.maxRows();
    if (most.isDefined()) {
      return ((Long) most.get()).longValue() <= mostRows;
    }
    SparkPlan plan = frame.queryExecution().executedPlan();
    return plan instanceof CommandResultExec && ((CommandResultExec) plan).rows().size() <= mostRows;
  }

  /** The result as Arrow record batch messages. */
  static List collect(Dataset frame, String timeZone) throws Exception {
    Iterator batches =
        ArrowConverters$.MODULE$.toBatchIterator(
            rows(frame), frame.schema(), (long) ROWS_PER_BATCH, timeZone, false, false, (TaskContext) null);
    List messages = new ArrayList();
    while (batches.hasNext()) {
      messages.add(batches.next());
    }
    return messages;
  }

  private static Iterator rows(Dataset frame) {
    LogicalPlan optimized = frame.queryExecution().optimizedPlan();
    if (optimized instanceof LocalRelation) {
      return ((LocalRelation) optimized).data().iterator();
    }
    InternalRow[] rows = constants(optimized);
    Object[] found = rows == null ? executed(frame) : rows;
    return scala.jdk.javaapi.CollectionConverters.asScala(java.util.Arrays.asList(found).iterator());
  }

  /** The one row of a SELECT without FROM that has nothing left to compute; null when the plan is anything else. */
  private static InternalRow[] constants(LogicalPlan plan) {
    if (!(plan instanceof Project) || !(((Project) plan).child() instanceof OneRowRelation)) {
      return null;
    }
    Project project = (Project) plan;
    Object[] values = new Object[project.projectList().size()];
    for (int i = 0; i < values.length; i++) {
      Expression expression = (Expression) project.projectList().apply(i);
      if (!expression.foldable()) {
        return null;
      }
      values[i] = expression.eval(InternalRow.empty());
    }
    return new InternalRow[] {new GenericInternalRow(values)};
  }

  private static InternalRow[] executed(final Dataset frame) {
    return (InternalRow[])
        SQLExecution.withNewExecutionId(
            frame.queryExecution(),
            Option.apply("sqe"),
            new AbstractFunction0() {
              public Object apply() {
                return frame.queryExecution().executedPlan().executeCollect();
              }
            });
  }
}
