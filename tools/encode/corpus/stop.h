/* stop.h - SIGINT and SIGTERM as a request: the batch at work is finished first. A second signal
 * ends the program at once, as it would anyhow. */
#ifndef TOOLS_ENCODE_STOP_H
#define TOOLS_ENCODE_STOP_H

/* From here on the signals that are not ignored are requests. Returns a descriptor that can be read
 * as soon as there was one, for those who wait; -1: there is none. */
int stop_catch(void);

/* The signal that came; 0: none has. */
int stop_signal(void);

#endif
