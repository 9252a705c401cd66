package sqe.jvm;

import java.io.File;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskFailureListener;

/**
 * A file being written. When that fails (a full disk, a canceled task) the file goes at once: nobody will ever read it,
 * and what is left of it would keep the disk full. A task that only writes learns here that it was canceled.
 */
final class LocalOutput extends FilterOutputStream implements TaskFailureListener {
  private final File file;
  private boolean failed;

  LocalOutput(OutputStream out, File file) {
    super(out);
    this.file = file;
    TaskContext task = TaskContext.get();
    if (task != null) {
      task.addTaskFailureListener(this);
    }
  }

  /** Whatever the task has written is of no use now, also where its writer was not asked to give up. */
  public void onTaskFailure(TaskContext task, Throwable failure) {
    giveUp();
  }

  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  public void write(byte[] bytes, int start, int length) throws IOException {
    if (failed) {
      throw new IOException("writing " + file + " has failed before");
    }
    boolean done = false;
    try {
      TaskContext task = TaskContext.get();
      if (task != null) {
        task.killTaskIfInterrupted();
      }
      out.write(bytes, start, length);
      done = true;
    } finally {
      if (!done) {
        giveUp();
      }
    }
  }

  public void close() throws IOException {
    boolean done = false;
    try {
      if (!failed) {
        out.close();
      }
      done = true;
    } finally {
      if (!done) {
        giveUp();
      }
    }
  }

  private void giveUp() {
    failed = true;
    try {
      out.close();
    } catch (IOException expected) {
      // The first failure is the one to tell.
    }
    file.delete();
  }
}
