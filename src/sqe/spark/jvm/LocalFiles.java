package sqe.jvm;

import org.apache.hadoop.fs.RawLocalFileSystem;

/** Hadoop's plain local file system, which writes no checksum files, made usable by name. */
public final class LocalFiles extends RawLocalFileSystem {
  public LocalFiles() {}

  public String getScheme() {
    return "file";
  }
}
