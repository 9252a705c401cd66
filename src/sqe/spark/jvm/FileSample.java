package sqe.jvm;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;

/** The beginning of a file as text, unpacked. */
final class FileSample {
  final String text;
  /** Whether there is more than this. */
  final boolean cut;

  FileSample(String text, boolean cut) {
    this.text = text;
    this.cut = cut;
  }

  static FileSample of(FileSystem files, FileStatus file, Configuration conf, int mostBytes) throws IOException {
    CompressionCodec codec = new CompressionCodecFactory(conf).getCodec(file.getPath());
    InputStream raw = files.open(file.getPath());
    try {
      InputStream in = codec == null ? raw : codec.createInputStream(raw);
      byte[] buffer = new byte[1 << 16];
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int count = 0;
      while (bytes.size() <= mostBytes && (count = in.read(buffer, 0, buffer.length)) >= 0) {
        bytes.write(buffer, 0, count);
      }
      String text = new String(bytes.toByteArray(), "UTF-8");
      return new FileSample(text.startsWith("\ufeff") ? text.substring(1) : text, count >= 0);
    } finally {
      raw.close();
    }
  }
}
