package sqe.jvm;

import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.ExperimentalMethods;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.Platform;
import scala.collection.immutable.Seq;

/**
 * A Delta table as it is or was; it is only read. Delta wants to be part of every session from its start. Here it comes
 * with the first statement that needs it, so what it would do by rules of its own at analysis is done right away, and
 * what it must do later (skip files, leave out deleted rows) is added to the session.
 */
final class DeltaFiles {
  private static final String PACKAGE = "org.apache.spark.sql.delta.";
  private static final String SETTINGS = "spark.databricks.delta.";

  private DeltaFiles() {}

  static LogicalPlan read(SparkSession session, FilePlace place, Map said, Map spark) {
    if (said.containsKey("version")) {
      spark.put("versionAsOf", said.get("version"));
    }
    if (said.containsKey("timestamp")) {
      spark.put("timestampAsOf", said.get("timestamp"));
    }
    try {
      prepare(session);
      session.conf().set(SETTINGS + "requiredSparkConfsCheck.enabled", "false");
      // Delta's log is read by Spark, in 50 tasks unless told otherwise.
      String tasks = String.valueOf(session.sparkContext().defaultParallelism());
      session.conf().set(SETTINGS + "snapshotPartitions", tasks);
      // An old version can be read as long as its files are there, however long Delta promises to keep them.
      session.conf().set(SETTINGS + "vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration", "false");
      String path = place.hadoopPath(place.path).toString();
      return ofFiles(load(session, path, spark).queryExecution().analyzed());
    } catch (ReflectiveOperationException missing) {
      throw new NotReachable("the jars for Delta are not there, or of a version that cannot be used");
    }
  }

  private static Dataset load(SparkSession session, String path, Map spark) {
    try {
      return (Dataset) session.read().format("delta").options(spark).load(path);
    } catch (Exception problem) {
      SparkThrowable told = problem instanceof SparkThrowable ? (SparkThrowable) problem : null;
      String condition = told == null ? null : told.getCondition();
      if ("DELTA_TIMESTAMP_GREATER_THAN_COMMIT".equals(condition)) {
        // Since its last version the table is as that one left it.
        spark.remove("timestampAsOf");
        return load(session, path, spark);
      }
      if ("DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION".equals(condition)) {
        Timestamp first = Timestamp.valueOf((String) told.getMessageParameters().get("commitTs"));
        String hint = "\nthe first one that is there is of " + first.toInstant();
        throw new WrongArguments("the Delta table has no version of this timestamp or before" + hint);
      }
      Platform.throwException(problem);
      return null;
    }
  }

  private static LogicalPlan ofFiles(LogicalPlan plan) throws ReflectiveOperationException {
    if (!(plan instanceof DataSourceV2Relation)) {
      return plan;
    }
    DataSourceV2Relation relation = (DataSourceV2Relation) plan;
    Class module = Class.forName(PACKAGE + "DeltaRelation$");
    Class table = Class.forName(PACKAGE + "catalog.DeltaTableV2");
    Class[] kinds = {table, DataSourceV2Relation.class, CaseInsensitiveStringMap.class};
    Object[] facts = {relation.table(), relation, relation.options()};
    Object here = module.getField("MODULE$").get(null);
    return (LogicalPlan) module.getMethod("fromV2Relation", kinds).invoke(here, facts);
  }

  private static void prepare(SparkSession session) throws ReflectiveOperationException {
    ExperimentalMethods methods = session.experimental();
    synchronized (methods) {
      methods.extraOptimizations_$eq(with(methods.extraOptimizations(), PACKAGE + "stats.PrepareDeltaScan", session));
      methods.extraStrategies_$eq(with(methods.extraStrategies(), PACKAGE + "PreprocessTableWithDVsStrategy", session));
    }
  }

  private static Seq with(Seq present, String name, SparkSession session) throws ReflectiveOperationException {
    List all = new ArrayList();
    for (scala.collection.Iterator others = present.iterator(); others.hasNext(); ) {
      all.add(others.next());
    }
    for (Iterator others = all.iterator(); others.hasNext(); ) {
      if (others.next().getClass().getName().equals(name)) {
        return present;
      }
    }
    Class[] kinds = {org.apache.spark.sql.SparkSession.class};
    all.add(Class.forName(name).getConstructor(kinds).newInstance(new Object[] {session}));
    return (Seq) scala.jdk.javaapi.CollectionConverters.asScala(all).toSeq();
  }
}
