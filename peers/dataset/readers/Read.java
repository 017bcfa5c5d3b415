import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Node;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.nio.charset.StandardCharsets;
import java.nio.ByteBuffer;

/** Prints each data set of HDF5 files: its type, its shape and a checksum of its values. */
public class Read {
    private static void add(CRC32 crc, Object x) {
        if (x.getClass().isArray()) {
            for (int i = 0; i < java.lang.reflect.Array.getLength(x); i++) add(crc, java.lang.reflect.Array.get(x, i));
        } else if (x instanceof String s) {
            crc.update((s + "\n").getBytes(StandardCharsets.UTF_8));
        } else if (x instanceof Number n) {
            crc.update(ByteBuffer.allocate(8).putDouble(n.doubleValue()).array());
        }
    }

    public static void main(String[] names) {
        for (String name : names)
            try (HdfFile file = new HdfFile(Path.of(name))) {
                for (Node node : file.getChildren().values()) {
                    Dataset d = (Dataset) node;
                    CRC32 crc = new CRC32();
                    add(crc, d.getData());
                    System.out.println(name + " " + d.getName() + " " + java.util.Arrays.toString(d.getDimensions()) + " " + Long.toHexString(crc.getValue()));
                }
                file.getAttributes().forEach((k, v) -> System.out.println(name + " @" + k + " " + v.getData()));
            }
    }
}
