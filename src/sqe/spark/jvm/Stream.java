package sqe.jvm;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.SQLExecution;
import scala.Option;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction0;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * A result on its way out: one thread runs the Spark job whose tasks fill the sink, another empties it into a Unix
 * socket. Partitions run side by side, batches leave in order, and a slow reader slows the tasks down.
 */
final class Stream {
  private static final long CLEAN_UP_MILLIS = 10000L;

  private final Statement statement;
  private final Dataset frame;
  private final List collected;
  private final byte[] schema;
  private final String id;
  private final Path path;
  private final Sink sink;
  private ServerSocketChannel server;
  private Thread job;
  private Thread writer;
  private volatile Throwable failure;
  private volatile boolean complete;

  Stream(
      Statement statement,
      Dataset frame,
      List collected,
      byte[] schema,
      String id,
      String folder,
      long mostBytesInFlight,
      long mostBytesOnDisk) {
    this.statement = statement;
    this.frame = frame;
    this.collected = collected;
    this.schema = schema;
    this.id = id;
    this.path = Paths.get(folder, new String[] {id});
    this.sink = new Sink(id, Paths.get(folder, new String[0]), mostBytesInFlight, mostBytesOnDisk);
  }

  String start() throws Exception {
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path));
    job = new Thread("sqe-job-" + id) {
      public void run() {
        runJob();
      }
    };
    job.setDaemon(true);
    writer = new Thread("sqe-out-" + id) {
      public void run() {
        write();
      }
    };
    writer.setDaemon(true);
    writer.start();
    job.start();
    return path.toString();
  }

  private void runJob() {
    statement.enter();
    try {
      if (collected != null) {
        pass();
        return;
      }
      SQLExecution.withNewExecutionId(
          frame.queryExecution(),
          Option.apply("sqe"),
          new AbstractFunction0() {
            public Object apply() {
              submit();
              return BoxedUnit.UNIT;
            }
          });
    } catch (Throwable thrown) {
      failure = thrown;
      sink.close();
    } finally {
      statement.leave();
    }
  }

  /** Hands over what was collected before. */
  private void pass() throws Exception {
    sink.expect(1);
    for (Iterator messages = collected.iterator(); messages.hasNext(); ) {
      sink.put(0, (byte[]) messages.next());
    }
    sink.finish(0);
  }

  private void submit() {
    RDD batches = frame.toArrowBatchRdd(frame.queryExecution().executedPlan());
    sink.expect(batches.getNumPartitions());
    if (batches.getNumPartitions() == 0) {
      return;
    }
    SparkContext context = batches.sparkContext();
    context.runJob(
        batches,
        (scala.Function2) new PushBatches(id),
        (scala.Function2) new AbstractFunction2() {
          public Object apply(Object partition, Object nothing) {
            return BoxedUnit.UNIT;
          }
        },
        ClassTag$.MODULE$.apply(BoxedUnit.class));
  }

  private void write() {
    try {
      SocketChannel reader = server.accept();
      try {
        for (byte[] message = schema; message != null; message = sink.take()) {
          ByteBuffer buffer = ByteBuffer.wrap(message);
          while (buffer.hasRemaining()) {
            reader.write(buffer);
          }
        }
        complete = !sink.isClosed();
      } finally {
        reader.close();
      }
    } catch (Throwable gone) {
      statement.cancel();
    } finally {
      sink.close();
      closeServer();
    }
  }

  void finish() throws Throwable {
    job.join();
    // Its files are gone when it is.
    writer.join(CLEAN_UP_MILLIS);
    if (failure != null) {
      throw failure;
    }
    if (!complete) {
      // Cut off by a cancel or by its reader: what was read must not pass for the whole.
      throw new java.util.concurrent.CancellationException("canceled");
    }
  }

  void cancel() {
    sink.close();
    closeServer();
  }

  private void closeServer() {
    try {
      server.close();
      Files.deleteIfExists(path);
    } catch (java.io.IOException ignored) {
      // The folder goes with the engine.
    }
  }
}
