package sqe.jvm;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.unsafe.types.UTF8String;

/** When files were written. The rows of a file come one after another, so each thread remembers the last one. */
public final class FileTimes {
  private static final ThreadLocal LAST = new ThreadLocal();

  private FileTimes() {}

  /** Microseconds since 1970. */
  public static long modified(UTF8String path) throws IOException {
    Object[] last = (Object[]) LAST.get();
    if (last == null || !last[0].equals(path)) {
      last = new Object[] {path.clone(), Long.valueOf(look(path.toString()))};
      LAST.set(last);
    }
    return ((Long) last[1]).longValue();
  }

  private static long look(String path) throws IOException {
    Path file = new Path(path);
    try {
      FileSystem files = file.getFileSystem(SparkHadoopUtil.get().conf());
      return files.getFileStatus(file).getModificationTime() * 1000;
    } catch (UnsupportedFileSystemException unknown) {
      throw new BadValue("the times of files at " + file.toUri().getScheme() + ":// are not known here");
    } catch (FileNotFoundException gone) {
      throw new BadValue("a file of the table is gone: " + path);
    }
  }
}
