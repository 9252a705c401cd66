package sqe.jvm;

import com.github.luben.zstd.ZstdInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.tukaani.xz.XZInputStream;

/** Reads compressed files that Hadoop has no codec for, or needs a native library for. It writes nothing. */
public abstract class StreamCodec extends Configured implements CompressionCodec {
  /** The setting that names what a `Chosen` codec undoes, whatever the file is called. */
  static final String CHOICE = "sqe.compression";
  static final String CHOICE_ENDING = "sqe.compression.ending";

  private static final long MOST_UNPACKED = 4L << 30;

  abstract String name();

  public CompressionInputStream createInputStream(InputStream in) throws IOException {
    return new Unpacked(unpacked(name(), in));
  }

  public CompressionInputStream createInputStream(InputStream in, Decompressor unused) throws IOException {
    return createInputStream(in);
  }

  static InputStream unpacked(String name, InputStream in) throws IOException {
    if (name.equals("gzip")) {
      return new GZIPInputStream(in, 1 << 16);
    }
    if (name.equals("bz2")) {
      return new BZip2CompressorInputStream(in, true);
    }
    if (name.equals("xz")) {
      return new XZInputStream(in);
    }
    if (name.equals("zstd")) {
      return new ZstdInputStream(in);
    }
    if (name.equals("zip")) {
      return new OnlyEntry(in);
    }
    return in;
  }

  public Class getDecompressorType() {
    return null;
  }

  public Decompressor createDecompressor() {
    return null;
  }

  public Class getCompressorType() {
    return null;
  }

  public Compressor createCompressor() {
    return null;
  }

  public CompressionOutputStream createOutputStream(OutputStream out) {
    throw new UnsupportedOperationException("this compression is only read");
  }

  public CompressionOutputStream createOutputStream(OutputStream out, Compressor unused) {
    throw new UnsupportedOperationException("this compression is only read");
  }

  public static final class Xz extends StreamCodec {
    String name() {
      return "xz";
    }

    public String getDefaultExtension() {
      return ".xz";
    }
  }

  public static final class Zstd extends StreamCodec {
    String name() {
      return "zstd";
    }

    public String getDefaultExtension() {
      return ".zst";
    }
  }

  public static final class Zip extends StreamCodec {
    String name() {
      return "zip";
    }

    public String getDefaultExtension() {
      return ".zip";
    }
  }

  /** For all files of one read, known by the ending that their names share. */
  public static final class Chosen extends StreamCodec {
    String name() {
      return getConf().get(CHOICE, "none");
    }

    public String getDefaultExtension() {
      Configuration conf = getConf();
      return conf == null ? "\u0000" : conf.get(CHOICE_ENDING, "\u0000");
    }
  }

  private static final class Unpacked extends CompressionInputStream {
    Unpacked(InputStream in) throws IOException {
      super(in);
    }

    public int read() throws IOException {
      return in.read();
    }

    public int read(byte[] bytes, int start, int length) throws IOException {
      return in.read(bytes, start, length);
    }

    public void resetState() {
      throw new UnsupportedOperationException("this stream is read once");
    }
  }

  /** The one file of an archive; it may not grow without end. */
  private static final class OnlyEntry extends InputStream {
    private final ZipInputStream archive;
    private long read;
    private boolean ended;

    OnlyEntry(InputStream in) throws IOException {
      archive = new ZipInputStream(in);
      if (archive.getNextEntry() == null) {
        throw new IOException("this is no zip archive, or an empty one");
      }
    }

    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
    }

    public int read(byte[] bytes, int start, int length) throws IOException {
      int count = ended ? -1 : archive.read(bytes, start, length);
      if (count < 0) {
        if (!ended && archive.getNextEntry() != null) {
          throw new IOException("a zip archive with several files cannot be read");
        }
        ended = true;
        return -1;
      }
      read += count;
      if (read > MOST_UNPACKED) {
        throw new IOException("a zip archive whose file has more than 4 GB cannot be read");
      }
      return count;
    }

    public void close() throws IOException {
      archive.close();
    }
  }
}
