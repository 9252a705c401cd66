package sqe.jvm;

import java.io.IOException;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/** What is needed of a place far away to read files there. */
abstract class RemoteSource {
  /** Throws `FileNotFoundException` when there is neither a file nor a folder. */
  abstract FileStatus status(Path path) throws IOException;

  abstract FileStatus[] list(Path path) throws IOException;

  abstract FSInputStream open(Path path) throws IOException;

  void close() {}

  static FileStatus file(Path path, long length, long modified) {
    return new FileStatus(length, false, 1, 32L << 20, modified, path);
  }

  static FileStatus folder(Path path) {
    return new FileStatus(0, true, 1, 0, 0, path);
  }
}
