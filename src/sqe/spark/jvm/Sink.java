package sqe.jvm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the tasks of one result put their batches and one reader takes them in partition order. The bytes held in
 * memory are bounded: a task waits until there is room. The partition at the head may always put one batch, so the
 * reader never starves; the others may fill three quarters of the room.
 *
 * <p>A reader that has stopped reading would keep the tasks, and with them the cores, from all other statements. After
 * a moment of that the tasks go on to the disk, up to a bound.
 */
final class Sink {
  private static final long STALLED_NANOS = 2000000000L;
  private static final long LOOK_AGAIN_MILLIS = 500L;
  private static final ConcurrentHashMap OPEN = new ConcurrentHashMap();

  private final String id;
  private final Path folder;
  private final long room;
  private final long roomOnDisk;
  /** Per partition: batches as byte[], or the length of one that is in the partition's file as Integer. */
  private ArrayDeque[] queues;
  private SpillFile[] files;
  private boolean[] done;
  private long held;
  private long heldOnDisk;
  private int head;
  private boolean closed;
  private boolean readerWaits;
  private long lastTaken = System.nanoTime();

  Sink(String id, Path folder, long room, long roomOnDisk) {
    this.id = id;
    this.folder = folder;
    this.room = room;
    this.roomOnDisk = roomOnDisk;
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
    files = new SpillFile[partitions];
    done = new boolean[partitions];
    for (int i = 0; i < partitions; i++) {
      queues[i] = new ArrayDeque();
    }
    notifyAll();
  }

  void put(int partition, byte[] batch) throws InterruptedException, IOException {
    SpillFile file;
    synchronized (this) {
      while (!closed && !fits(partition, batch.length) && !mayGoToDisk(batch.length)) {
        wait(LOOK_AGAIN_MILLIS);
      }
      refuseIfClosed();
      if (fits(partition, batch.length)) {
        queues[partition].add(batch);
        held += batch.length;
        notifyAll();
        return;
      }
      heldOnDisk += batch.length;
      file = file(partition);
    }
    file.append(batch);
    synchronized (this) {
      refuseIfClosed();
      queues[partition].add(Integer.valueOf(batch.length));
      notifyAll();
    }
  }

  private boolean fits(int partition, int length) {
    if (partition == head) {
      return queues[partition].isEmpty() || held + length <= room;
    }
    return held + length <= room * 3 / 4;
  }

  private boolean mayGoToDisk(int length) {
    boolean stalled = !readerWaits && System.nanoTime() - lastTaken > STALLED_NANOS;
    return stalled && heldOnDisk + length <= roomOnDisk;
  }

  private SpillFile file(int partition) throws IOException {
    if (files[partition] == null) {
      files[partition] = new SpillFile(folder.resolve(id + "-" + partition + ".spill"));
    }
    return files[partition];
  }

  private void refuseIfClosed() {
    if (closed) {
      throw new IllegalStateException("the reader of this result is gone");
    }
  }

  synchronized void finish(int partition) {
    done[partition] = true;
    notifyAll();
  }

  /** The next batch in order, or null at the end. */
  byte[] take() throws InterruptedException, IOException {
    Object next;
    SpillFile file;
    synchronized (this) {
      next = await();
      if (next == null || next instanceof byte[]) {
        return (byte[]) next;
      }
      file = files[head];
    }
    return file.next(((Integer) next).intValue());
  }

  private Object await() throws InterruptedException {
    readerWaits = true;
    try {
      while (!closed) {
        if (queues != null) {
          while (head < queues.length && done[head] && queues[head].isEmpty()) {
            head++;
            notifyAll();
          }
          if (head == queues.length) {
            return null;
          }
          Object next = queues[head].poll();
          if (next != null) {
            account(next);
            return next;
          }
        }
        wait();
      }
      return null;
    } finally {
      readerWaits = false;
      lastTaken = System.nanoTime();
    }
  }

  private void account(Object next) {
    if (next instanceof byte[]) {
      held -= ((byte[]) next).length;
    } else {
      heldOnDisk -= ((Integer) next).intValue();
    }
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  synchronized void close() {
    closed = true;
    OPEN.remove(id);
    for (int i = 0; files != null && i < files.length; i++) {
      if (files[i] != null) {
        files[i].close();
      }
    }
    files = null;
    queues = new ArrayDeque[0];
    held = 0;
    notifyAll();
  }
}
