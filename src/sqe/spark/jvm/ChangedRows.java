package sqe.jvm;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.events.CreateSnapshotEvent;
import org.apache.iceberg.events.Listener;
import org.apache.iceberg.events.Listeners;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable;
import org.apache.spark.sql.execution.CollectMetricsExec$;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.datasources.v2.MergeRowsExec;
import org.apache.spark.sql.execution.datasources.v2.StreamWriterCommitProgress;
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec;
import org.apache.spark.util.AccumulatorV2;
import scala.Option;

/**
 * How many rows a statement has inserted, updated or deleted: what the write itself counted, or what Iceberg notes about
 * the snapshots that the statement made. Iceberg tells of a snapshot in the thread that has committed it.
 */
final class ChangedRows {
  /** The name of the count that {@link CountUpdates} puts into a plan. */
  static final String UPDATED = "sqe_updated";

  private static final ThreadLocal SUMMARIES = new ThreadLocal();
  private static final String[] MERGED = {"numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted"};

  private final List summaries;
  private final SparkPlan plan;

  private ChangedRows(List summaries, SparkPlan plan) {
    this.summaries = summaries;
    this.plan = plan;
  }

  /** Once for the JVM. */
  static void listen() {
    Listeners.register(
        new Listener() {
          public void notify(Object event) {
            List summaries = (List) SUMMARIES.get();
            if (summaries != null) {
              summaries.add(((CreateSnapshotEvent) event).summary());
            }
          }
        },
        CreateSnapshotEvent.class);
  }

  /** From here on the snapshots that this thread makes belong to one statement. */
  static void begin() {
    SUMMARIES.set(new ArrayList());
  }

  static void end() {
    SUMMARIES.remove();
  }

  /** The number for the statement that has just run in this thread; null when it is none that counts, or not known. */
  static Long of(QueryExecution execution) {
    SparkPlan executed = execution.executedPlan();
    if (!(executed instanceof CommandResultExec)) {
      return null;
    }
    SparkPlan plan = inner(((CommandResultExec) executed).commandPhysicalPlan());
    return new ChangedRows((List) SUMMARIES.get(), plan).count(execution.logical());
  }

  private Long count(LogicalPlan statement) {
    String name = plan.getClass().getSimpleName();
    if (name.endsWith("AsSelectExec")) {
      return Long.valueOf(sum("added-records"));
    }
    if (name.equals("DeleteFromTableExec")) {
      return hasDeletes() ? null : Long.valueOf(sum("deleted-records"));
    }
    if (!(plan instanceof V2TableWriteExec)) {
      return null;
    }
    boolean rewrites = name.equals("ReplaceDataExec");
    if (!rewrites && !name.equals("WriteDeltaExec")) {
      Option progress = ((V2TableWriteExec) plan).commitProgress();
      return progress.isDefined() ? Long.valueOf(((StreamWriterCommitProgress) progress.get()).numOutputRows()) : null;
    }
    if (statement instanceof DeleteFromTable) {
      return deleted(rewrites);
    }
    if (statement instanceof UpdateTable) {
      return rewrites ? observed() : Long.valueOf(sum("added-records"));
    }
    return merged(plan);
  }

  private Long deleted(boolean rewrites) {
    if (!rewrites) {
      // Positions that an older file of deletes held already are written again with the new ones.
      return Long.valueOf(sum("added-position-deletes") - sum("removed-position-deletes"));
    }
    return hasDeletes() ? null : Long.valueOf(sum("deleted-records") - sum("added-records"));
  }

  /** Whether files hold rows that were deleted before: then the counts of files say too much. */
  private boolean hasDeletes() {
    return sum("total-delete-files") + sum("removed-delete-files") > 0L;
  }

  private Long observed() {
    Option row = CollectMetricsExec$.MODULE$.collect(plan).get(UPDATED);
    return row.isDefined() ? (Long) ((Row) row.get()).get(0) : null;
  }

  private static Long merged(SparkPlan plan) {
    MergeRowsExec merge = find(plan);
    if (merge == null) {
      return null;
    }
    long sum = 0L;
    for (int i = 0; i < MERGED.length; i++) {
      Option metric = merge.metrics().get(MERGED[i]);
      if (!metric.isDefined()) {
        return null;
      }
      sum += ((Long) ((AccumulatorV2) metric.get()).value()).longValue();
    }
    return Long.valueOf(sum);
  }

  private static MergeRowsExec find(SparkPlan plan) {
    SparkPlan here = inner(plan);
    if (here instanceof MergeRowsExec) {
      return (MergeRowsExec) here;
    }
    MergeRowsExec found = null;
    for (scala.collection.Iterator children = here.children().iterator(); found == null && children.hasNext(); ) {
      found = find((SparkPlan) children.next());
    }
    return found;
  }

  /** What adaptive execution wraps. */
  private static SparkPlan inner(SparkPlan plan) {
    if (plan instanceof AdaptiveSparkPlanExec) {
      return inner(((AdaptiveSparkPlanExec) plan).executedPlan());
    }
    return plan instanceof QueryStageExec ? inner(((QueryStageExec) plan).plan()) : plan;
  }

  private long sum(String key) {
    long sum = 0L;
    for (Iterator all = summaries.iterator(); all.hasNext(); ) {
      String value = (String) ((Map) all.next()).get(key);
      sum += value == null ? 0L : Long.parseLong(value);
    }
    return sum;
  }
}
