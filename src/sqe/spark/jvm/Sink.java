package sqe.jvm;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the tasks of one result put their batches and one reader takes them in partition order. The bytes held are
 * bounded: a task waits until there is room. The partition at the head may always put one batch, so the reader never
 * starves; the others may fill three quarters of the room.
 */
final class Sink {
  private static final ConcurrentHashMap OPEN = new ConcurrentHashMap();

  private final String id;
  private final long room;
  private ArrayDeque[] queues;
  private boolean[] done;
  private long held;
  private int head;
  private boolean closed;

  Sink(String id, long room) {
    this.id = id;
    this.room = room;
    OPEN.put(id, this);
  }

  static Sink named(String id) {
    Sink sink = (Sink) OPEN.get(id);
    if (sink == null) {
      throw new IllegalStateException("the reader of this result is gone");
    }
    return sink;
  }

  synchronized void expect(int partitions) {
    queues = new ArrayDeque[partitions];
    done = new boolean[partitions];
    for (int i = 0; i < partitions; i++) {
      queues[i] = new ArrayDeque();
    }
    notifyAll();
  }

  synchronized void put(int partition, byte[] batch) throws InterruptedException {
    while (!closed && !fits(partition, batch.length)) {
      wait();
    }
    if (closed) {
      throw new IllegalStateException("the reader of this result is gone");
    }
    queues[partition].add(batch);
    held += batch.length;
    notifyAll();
  }

  private boolean fits(int partition, int length) {
    if (partition == head) {
      return queues[partition].isEmpty() || held + length <= room;
    }
    return held + length <= room * 3 / 4;
  }

  synchronized void finish(int partition) {
    done[partition] = true;
    notifyAll();
  }

  /** The next batch in order, or null at the end. */
  synchronized byte[] take() throws InterruptedException {
    while (!closed) {
      if (queues != null) {
        while (head < queues.length && done[head] && queues[head].isEmpty()) {
          head++;
          notifyAll();
        }
        if (head == queues.length) {
          return null;
        }
        byte[] batch = (byte[]) queues[head].poll();
        if (batch != null) {
          held -= batch.length;
          notifyAll();
          return batch;
        }
      }
      wait();
    }
    return null;
  }

  synchronized void close() {
    closed = true;
    queues = new ArrayDeque[0];
    held = 0;
    OPEN.remove(id);
    notifyAll();
  }
}
