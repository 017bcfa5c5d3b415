from .speaker import Speaker as Speaker
