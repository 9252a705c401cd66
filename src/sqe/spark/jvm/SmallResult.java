package sqe.jvm;

import java.io.ByteArrayOutputStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.CollectLimitExec;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.TakeOrderedAndProjectExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.arrow.ArrowConverters$;
import scala.Option;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction0;

/**
 * Results whose plan says that they are small: rows that are on the driver already, and LIMITs, which Spark's own
 * collect answers from as few partitions as it can instead of one task for every file.
 */
final class SmallResult {
  private static final int ROWS_PER_BATCH = 8192;

  private SmallResult() {}

  static boolean isSmall(SparkPlan plan, int mostRows) {
    SparkPlan root = plan instanceof AdaptiveSparkPlanExec ? ((AdaptiveSparkPlanExec) plan).inputPlan() : plan;
    if (root instanceof CommandResultExec) {
      return ((CommandResultExec) root).rows().size() <= mostRows;
    }
    if (root instanceof LocalTableScanExec) {
      return ((LocalTableScanExec) root).rows().size() <= mostRows;
    }
    if (root instanceof CollectLimitExec) {
      int limit = ((CollectLimitExec) root).limit();
      return limit >= 0 && limit <= mostRows;
    }
    if (root instanceof TakeOrderedAndProjectExec) {
      return ((TakeOrderedAndProjectExec) root).limit() <= mostRows;
    }
    return false;
  }

  static byte[] collect(final Dataset frame, final String timeZone) throws Exception {
    InternalRow[] rows =
        (InternalRow[])
            SQLExecution.withNewExecutionId(
                frame.queryExecution(),
                Option.apply("sqe"),
                new AbstractFunction0() {
                  public Object apply() {
                    return frame.queryExecution().executedPlan().executeCollect();
                  }
                });
    Iterator iterator = scala.jdk.javaapi.CollectionConverters.asScala(java.util.Arrays.asList((Object[]) rows).iterator());
    Iterator batches =
        ArrowConverters$.MODULE$.toBatchIterator(
            iterator, frame.schema(), (long) ROWS_PER_BATCH, timeZone, false, false, (TaskContext) null);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (batches.hasNext()) {
      bytes.write((byte[]) batches.next());
    }
    return bytes.toByteArray();
  }
}
