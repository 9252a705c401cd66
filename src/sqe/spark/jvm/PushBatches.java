package sqe.jvm;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.spark.TaskContext;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/** What a task of a streamed result does: hand each Arrow batch to the sink as soon as it is made. */
public final class PushBatches extends AbstractFunction2 implements Serializable {
  private static final long serialVersionUID = 1L;
  private final String sink;

  PushBatches(String sink) {
    this.sink = sink;
  }

  public Object apply(Object context, Object batches) {
    int partition = ((TaskContext) context).partitionId();
    Sink target = Sink.named(sink);
    Iterator iterator = (Iterator) batches;
    try {
      while (iterator.hasNext()) {
        target.put(partition, (byte[]) iterator.next());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("canceled");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    target.finish(partition);
    return BoxedUnit.UNIT;
  }
}
