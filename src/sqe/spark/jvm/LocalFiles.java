package sqe.jvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Hadoop's plain local file system, which writes no checksum files, made usable by name. Permissions are set directly:
 * Hadoop starts a process for each file, which is slow and swallows the interrupt of a cancel.
 */
public final class LocalFiles extends RawLocalFileSystem {
  public LocalFiles() {}

  public String getScheme() {
    return "file";
  }

  public FSDataOutputStream create(
      Path path, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
      throws IOException {
    return careful(super.create(path, overwrite, bufferSize, replication, blockSize, progress), path);
  }

  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return careful(super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress), path);
  }

  private FSDataOutputStream careful(FSDataOutputStream out, Path path) throws IOException {
    return new FSDataOutputStream(new LocalOutput(out, pathToFile(path)), null);
  }

  public void setPermission(Path path, FsPermission permission) throws IOException {
    String text =
        permission.getUserAction().SYMBOL + permission.getGroupAction().SYMBOL + permission.getOtherAction().SYMBOL;
    Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(text));
  }
}
