package libengine;

import com.sun.jna.Pointer;

/** An error of the library, with its words. */
public final class EngineException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** A value of engine_status, as {@link Api#ENGINE_ERROR_LENGTH}. */
    public final int status;

    /** Index of the input that caused it, or -1. */
    public final long index;

    EngineException(Pointer error) {
        super(error.getString(Api.engine_error.message, "UTF-8"));
        status = error.getInt(Api.engine_error.status);
        index = Math.max(error.getLong(Api.engine_error.input), -1);
    }
}
