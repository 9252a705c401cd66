package sqe.jvm;

import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.util.ArrowUtils;

/**
 * One SQL statement: analyze, then either collect a small result or stream it. Every step runs in the statement's job
 * group, so that a cancel reaches the Spark jobs, and the thread that works on it can be interrupted.
 */
public final class Statement {
  private static final String POOL = "spark.scheduler.pool";

  private final SparkSession session;
  private final CanceledStatements canceledOnes;
  private final String id;
  private final String sql;
  private final List procedures;
  private final Object lock = new Object();
  private Thread worker;
  private boolean canceled;
  private Dataset frame;
  private List collected;
  private Stream stream;
  private Long changedRows;

  Statement(SparkSession session, CanceledStatements canceledOnes, String id, String sql, List procedures) {
    this.session = session;
    this.canceledOnes = canceledOnes;
    this.id = id;
    this.sql = sql;
    this.procedures = procedures;
  }

  /** Parses and analyzes; commands (DDL, DML, CALL) are executed here. Answers the Arrow schema of the result. */
  public byte[] analyze() throws Throwable {
    enter();
    try {
      // A session can change this setting, but not what it is for: files are read under rules, by ReadFiles.
      session.conf().set("spark.sql.runSQLOnFiles", "false");
      ChangedRows.begin();
      Dataset answer = (Dataset) session.sql(sql);
      changedRows = ChangedRows.of(answer.queryExecution());
      frame = ReadableTypes.readable(answer, session);
      return schemaMessage();
    } finally {
      ChangedRows.end();
      leave();
    }
  }

  /** How many rows the analyzed statement has changed; null when it changes none, or nobody can tell. */
  public Long changedRows() {
    return changedRows;
  }

  /** EXPLAIN of this statement: `plain`, `analyze` or `full`; rows as JSON. */
  public String explain(String mode) throws Throwable {
    enter();
    try {
      return Json.text(Explain.rows(session, sql, mode));
    } finally {
      leave();
    }
  }

  /** Writes the rows of this analyzed statement to files; answers how many there were. */
  public long copy(String request) throws Throwable {
    enter();
    try {
      return new CopyOut(session, frame, Json.map(request)).run(id);
    } finally {
      leave();
    }
  }

  /**
   * The whole result as Arrow record batch messages when it is small, else null. Few rows may still be large; those
   * that were collected then leave by the stream.
   */
  public byte[] collect(int mostRows, int mostBytes) throws Throwable {
    enter();
    try {
      if (!SmallResult.isSmall(frame, mostRows)) {
        return null;
      }
      collected = SmallResult.collect(frame, timeZone());
      return joined(mostBytes);
    } finally {
      leave();
    }
  }

  /** The same as text: Python takes bytes from Py4J one by one, which is slow. */
  public String collectText(int mostRows, int mostBytes) throws Throwable {
    byte[] messages = collect(mostRows, mostBytes);
    return messages == null ? null : Base64.getEncoder().encodeToString(messages);
  }

  private byte[] joined(int mostBytes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (Iterator messages = collected.iterator(); messages.hasNext(); ) {
      byte[] message = (byte[]) messages.next();
      if (bytes.size() + message.length > mostBytes) {
        return null;
      }
      bytes.write(message, 0, message.length);
    }
    return bytes.toByteArray();
  }

  /** Starts the execution; answers the path of the Unix socket that carries the record batches. */
  public String open(String folder, long mostBytesInFlight, long mostBytesOnDisk) throws Throwable {
    synchronized (lock) {
      refuseIfCanceled();
      stream = new Stream(this, frame, collected, schemaMessage(), id, folder, mostBytesInFlight, mostBytesOnDisk);
    }
    return stream.start();
  }

  /** Waits for the end of a stream and throws what went wrong in it. */
  public void finish() throws Throwable {
    stream.finish();
  }

  public void cancel() {
    Stream running;
    synchronized (lock) {
      canceled = true;
      running = stream;
      if (worker != null) {
        worker.interrupt();
      }
    }
    canceledOnes.cancel(id);
    if (running != null) {
      running.cancel();
    }
  }

  /** The analyzed plan, for those who look at it before the execution. */
  public Object analyzed() {
    return frame.queryExecution().analyzed();
  }

  void enter() {
    synchronized (lock) {
      refuseIfCanceled();
      worker = Thread.currentThread();
    }
    Permissions.enter(procedures);
    SparkSession.setActiveSession(session);
    Invoker.enter(session);
    session.sparkContext().setJobGroup(id, "", true);
    // People share the task slots evenly, however many tasks one of them has.
    session.sparkContext().setLocalProperty(POOL, FileAccess.userOf(session));
  }

  void leave() {
    session.sparkContext().clearJobGroup();
    session.sparkContext().setLocalProperty(POOL, null);
    Permissions.leave();
    Invoker.leave();
    SparkSession.clearActiveSession();
    synchronized (lock) {
      worker = null;
      // The interrupt of a cancel must not hit the next statement that this thread serves.
      Thread.interrupted();
    }
  }

  private void refuseIfCanceled() {
    if (canceled) {
      throw new java.util.concurrent.CancellationException("canceled");
    }
  }

  private byte[] schemaMessage() throws Exception {
    Schema plain = ArrowUtils.toArrowSchema(frame.schema(), timeZone(), false, false);
    Schema schema = TypeNotes.noted(frame.schema(), plain);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), schema);
    return bytes.toByteArray();
  }

  private String timeZone() {
    return session.sessionState().conf().sessionLocalTimeZone();
  }
}
