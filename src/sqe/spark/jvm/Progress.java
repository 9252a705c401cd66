package sqe.jvm;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.status.api.v1.JobData;
import org.apache.spark.status.api.v1.StageData;
import scala.collection.Iterator;

/** How far the Spark jobs of one statement have come. */
final class Progress {
  private Progress() {}

  static String of(SparkContext context, String group) throws Exception {
    int[] jobs = context.statusTracker().getJobIdsForGroup(group);
    int stages = 0;
    int stagesDone = 0;
    int tasks = 0;
    int tasksDone = 0;
    long rows = 0L;
    for (int i = 0; i < jobs.length; i++) {
      JobData job = context.statusStore().job(jobs[i]);
      stages += job.numActiveStages() + job.numCompletedStages() + job.numFailedStages();
      stagesDone += job.numCompletedStages();
      tasks += job.numTasks() - job.numSkippedTasks();
      tasksDone += job.numCompletedTasks();
      for (Iterator ids = job.stageIds().iterator(); ids.hasNext(); ) {
        rows += rowsRead(context, ((Integer) ids.next()).intValue());
      }
    }
    Map answer = new LinkedHashMap();
    answer.put("stages", Integer.valueOf(stages));
    answer.put("stages_done", Integer.valueOf(stagesDone));
    answer.put("tasks", Integer.valueOf(tasks));
    answer.put("tasks_done", Integer.valueOf(tasksDone));
    answer.put("rows", Long.valueOf(rows));
    return Json.text(answer);
  }

  private static long rowsRead(SparkContext context, int stage) {
    try {
      StageData data = context.statusStore().lastStageAttempt(stage);
      return data.inputRecords();
    } catch (java.util.NoSuchElementException notStarted) {
      return 0L;
    }
  }
}
