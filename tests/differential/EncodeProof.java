import java.io.File;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.activemq.artemis.core.postoffice.Binding;
import org.apache.activemq.artemis.core.postoffice.QueueBinding;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;

/**
 * A broker that starts on a store and tells what it holds:
 * EncodeProof BROKER_XML PORT OUTPUT
 * A line of OUTPUT for each message: queue, id, delivery count, "scheduled" or "waiting", separated
 * by tabs, in the order of delivery. Prints STOPPED at the end.
 */
public class EncodeProof {
   public static void main(String[] arguments) {
      try {
         EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
         broker.setConfigResourcePath(new File(arguments[0]).toURI().toString());
         broker.start();
         try (PrintWriter out = new PrintWriter(arguments[2], "UTF-8")) {
            broker.getActiveMQServer().getPostOffice().getAllBindings()
               .filter(QueueBinding.class::isInstance)
               .sorted(Comparator.comparing((Binding binding) -> binding.getUniqueName().toString()))
               .forEach(binding -> tell(out, ((QueueBinding) binding).getQueue()));
         }
         broker.stop();
         System.out.println("STOPPED");
         System.exit(0);
      } catch (Throwable problem) {
         // The threads of a broker would keep the process alive.
         problem.printStackTrace();
         System.exit(1);
      }
   }

   static void tell(PrintWriter out, Queue queue) {
      try (LinkedListIterator<MessageReference> messages = queue.browserIterator()) {
         while (messages.hasNext()) {
            tell(out, queue, messages.next(), "waiting");
         }
      }
      List<MessageReference> scheduled = new ArrayList<>(queue.getScheduledMessages());
      scheduled.sort(Comparator.comparing(MessageReference::getMessageID));
      scheduled.forEach(reference -> tell(out, queue, reference, "scheduled"));
   }

   static void tell(PrintWriter out, Queue queue, MessageReference reference, String state) {
      out.println(queue.getName() + "\t" + reference.getMessageID() + "\t"
                  + reference.getDeliveryCount() + "\t" + state);
   }
}
